/**
 * `tollgate usage report`
 *
 * @module
 */

import type { Command } from "commander";
import { reportUsage, USAGE_GROUPS, type UsageRow } from "../../admin/usage.ts";
import type { Cli } from "../base/cli.ts";
import { operationCommand } from "../operations/operation_command.ts";
import type { Column } from "../base/table.ts";

/** What a report is grouped by when nobody says. */
const GROUPS: readonly string[] = ["project", "model"];

const FIGURES: readonly Column<UsageRow>[] = [
  { header: "CALLS", value: ({ calls }) => calls, align: "right" },
  { header: "PROMPT", value: ({ prompt_tokens }) => prompt_tokens, align: "right" },
  { header: "COMPLETION", value: ({ completion_tokens }) => completion_tokens, align: "right" },
  { header: "COST", value: ({ cost }) => cost, align: "right" },
  { header: "SALE", value: ({ sale }) => sale, align: "right" },
  { header: "CHARGED", value: ({ charged }) => charged, align: "right" },
  { header: "LOSS", value: ({ loss }) => loss, align: "right" },
];

export function usageReport(cli: Cli): Command {
  return operationCommand(cli, {
    operation: reportUsage,
    description: "Add up closed calls by whole hours, or by whole days (UTC) where they are " +
      "archived. Dates are UTC; --to includes its day.",
    example: "usage report --by day,project --from 7d",
    async run({ admin, operation, input, options: { json, by = GROUPS } }) {
      const { data, cut, archives } = await admin.call(operation, { by, ...input });
      const asked = [by].flat().flatMap((one) => String(one).split(","));
      const tag = asked.find((one) => one.startsWith("tag:"));
      const groups = USAGE_GROUPS.filter((group) => asked.includes(group));
      cli.printRows(data, {
        json,
        columns: [
          ...groups.map(groupColumn),
          ...(tag === undefined ? [] : [tagColumn(tag)]),
          ...FIGURES,
        ],
        none: "No calls in this time",
      });
      const last = archives.at(-1);
      if (last !== undefined) {
        const files = archives.map(({ file }) => file).join(", ");
        cli.say(
          `Calls before ${
            last.before.slice(0, 10)
          } are archived: these sums are whole, and the single calls are in ${files}`,
        );
      }
      if (cut === null) return;
      cli.say(`The report is not whole. ${cut.advice}`);
      cli.fail();
    },
  });
}

function tagColumn(tag: string): Column<UsageRow> {
  return { header: tag.slice("tag:".length).toUpperCase(), value: (row) => row.tag ?? "-" };
}

function groupColumn(group: typeof USAGE_GROUPS[number]): Column<UsageRow> {
  return { header: group.toUpperCase(), value: (row) => row[group] ?? "-" };
}
