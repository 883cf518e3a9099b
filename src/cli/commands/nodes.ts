/**
 * `tollgate nodes …`
 *
 * @module
 */

import type { Command } from "commander";
import { listNodes } from "../../admin/nodes.ts";
import type { Cli } from "../base/cli.ts";
import { timeText } from "../base/table.ts";
import { listCommand } from "../operations/operation_command.ts";

export function nodes(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listNodes,
      description:
        "List the processes that use a database server together: since when, when each " +
        "last said that it lives, what it may spend of balances without asking, and how far it " +
        "has come with what others change. Troubles are said at the end of a line.",
      example: "nodes list",
      columns: () => [
        { header: "SESSION", value: ({ id }) => id, align: "right" },
        { header: "SLOT", value: ({ slot }) => slot, align: "right" },
        { header: "VERSION", value: ({ version }) => version ?? "" },
        {
          header: "STARTED",
          value: ({ started_at }) => started_at === null ? "" : timeText(started_at),
        },
        { header: "BEAT", value: ({ last_beat_ms }) => beatText(last_beat_ms), align: "right" },
        { header: "LEASED", value: ({ leased }) => leased, align: "right" },
        { header: "HELD", value: ({ held }) => held, align: "right" },
        { header: "OF PROJECTS", value: ({ leased_projects }) => leased_projects, align: "right" },
        { header: "BEHIND", value: ({ changes_behind }) => changes_behind ?? "", align: "right" },
        { header: "NODE", value: ({ name, is_this }) => `${name}${is_this ? ", this one" : ""}` },
        { header: "TROUBLE", value: ({ troubles }) => troubles.join("; ") },
      ],
      none: "The database is a file of the data dir, which one process has",
    }),
  ];
}

function beatText(milliseconds: number | null): string {
  return milliseconds === null ? "" : `${(milliseconds / 1_000).toFixed(1)} s ago`;
}
