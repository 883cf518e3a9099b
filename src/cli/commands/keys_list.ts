/**
 * `tollgate keys list`
 *
 * @module
 */

import type { Command } from "commander";
import { type KeyRow, listKeys } from "../../admin/keys.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import type { Column } from "../table.ts";

interface ListOptions extends CommonOptions {
  readonly project?: string;
}

/** The columns of a key. */
export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "KEY", value: ({ prefix }) => `${prefix}…` },
  { header: "NAME", value: ({ name }) => name === "" ? "-" : name },
  { header: "STATE", value: stateOf },
  { header: "EXPIRES", value: (row) => row.expires_at?.slice(0, 16).concat("Z") ?? "never" },
  { header: "MODELS", value: ({ models }) => models?.join(",") ?? "all" },
];

/** Makes the command. */
export function keysList(cli: Cli): Command {
  return cli.adminCommand("list", {
    summary: "List keys, never the keys themselves",
    example: "keys list --project shop",
  })
    .option("--project <id>", "only this project's")
    .action((options: ListOptions) =>
      cli.administer(options, async (admin) => {
        const input = options.project === undefined ? {} : { project: options.project };
        cli.printRows(await admin.call(listKeys, input), {
          json: options.json,
          columns: KEY_COLUMNS,
          none: "No keys yet: tollgate keys create --project ID",
        });
      })
    );
}

/** Whether a key can be used. */
export function stateOf({ disabled, expired }: KeyRow): string {
  if (disabled) return "disabled";
  return expired ? "expired" : "enabled";
}
