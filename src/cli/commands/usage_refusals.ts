/**
 * `tollgate usage refusals`
 *
 * @module
 */

import type { Command } from "commander";
import { REFUSAL_GROUPS, type RefusalRow, reportRefusals } from "../../admin/refusals.ts";
import type { Cli } from "../base/cli.ts";
import { type Column, timeText } from "../base/table.ts";
import { operationCommand } from "../operations/operation_command.ts";

const GROUPS: readonly string[] = ["project", "reason"];

export function usageRefusals(cli: Cli): Command {
  return operationCommand(cli, {
    operation: reportRefusals,
    name: "refusals",
    summary: "Count the requests that were refused before they became calls",
    description: "Count the requests that were refused before they became calls: by a limit, a " +
      "budget, for a model that is not there or not allowed, or because no route was left. " +
      "calls list --status refused shows the last of them one by one.",
    example: "usage refusals --from 1h --by project,key,reason",
    async run({ admin, operation, input, options: { json, by = GROUPS } }) {
      const { data, has_more } = await admin.call(operation, { by, ...input });
      const asked = [by].flat().flatMap((one) => String(one).split(","));
      cli.printRows(data, {
        json,
        columns: [
          ...REFUSAL_GROUPS.filter((group) => asked.includes(group)).map(groupColumn),
          ...asked.includes("reason") ? [WHY] : [],
          { header: "REFUSALS", value: ({ refusals }) => refusals, align: "right" },
          { header: "LAST", value: ({ last_at }) => timeText(last_at) },
        ],
        none: "No request was refused in this time",
      });
      if (has_more) {
        cli.say("There are more lines: name a project or a shorter time, or group by less");
        cli.fail();
      }
    },
  });
}

const WHY: Column<RefusalRow> = { header: "WHY", value: ({ why }) => why ?? "-" };

function groupColumn(group: typeof REFUSAL_GROUPS[number]): Column<RefusalRow> {
  return { header: group.toUpperCase(), value: (row) => row[group] ?? "-" };
}
