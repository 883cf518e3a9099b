/**
 * `tollgate usage report`
 *
 * @module
 */

import { type Command, InvalidArgumentError } from "commander";
import { reportUsage, USAGE_GROUPS, type UsageRow } from "../../admin/usage.ts";
import type { Cli, CommonOptions } from "../cli.ts";
import type { Column } from "../table.ts";
import { parseList } from "./limit_options.ts";

type Group = typeof USAGE_GROUPS[number];

interface ReportOptions extends CommonOptions {
  readonly by: readonly Group[];
  readonly project?: string;
  readonly model?: string;
  readonly from?: string;
  readonly to?: string;
}

const FIGURES: readonly Column<UsageRow>[] = [
  { header: "CALLS", value: ({ calls }) => calls, align: "right" },
  { header: "PROMPT", value: ({ prompt_tokens }) => prompt_tokens, align: "right" },
  { header: "COMPLETION", value: ({ completion_tokens }) => completion_tokens, align: "right" },
  { header: "COST", value: ({ cost }) => cost, align: "right" },
  { header: "SALE", value: ({ sale }) => sale, align: "right" },
  { header: "CHARGED", value: ({ charged }) => charged, align: "right" },
  { header: "LOSS", value: ({ loss }) => loss, align: "right" },
];

/** Makes the command. */
export function usageReport(cli: Cli): Command {
  return cli.adminCommand("report", {
    summary: "Add up calls, tokens and amounts",
    description: "Add up closed calls by whole hours, or by whole days (UTC) where they are " +
      "archived. Dates are UTC; --to includes its day.",
    example: "usage report --by day,project --from 7d",
  })
    .option("--by <groups>", `${USAGE_GROUPS.join(", ")} (default: project,model)`, parseGroups)
    .option("--project <id>", "only this project")
    .option("--model <id>", "only this model")
    .option(
      "--from <when>",
      "date, time with zone, or how long ago (24h, 7d); default: the first call",
    )
    .option("--to <when>", "the same; default: now")
    .action((options: ReportOptions) =>
      cli.administer(options, async (admin) => {
        const by = options.by ?? ["project", "model"];
        const { project, model, from, to } = options;
        const { data, cut, archives } = await admin.call(reportUsage, {
          by,
          ...(project !== undefined && { project }),
          ...(model !== undefined && { model }),
          ...(from !== undefined && { from }),
          ...(to !== undefined && { to }),
        });
        const groups = by.map((group): Column<UsageRow> => ({
          header: group.toUpperCase(),
          value: (row) => row[group] ?? "-",
        }));
        cli.printRows(data, {
          json: options.json,
          columns: [...groups, ...FIGURES],
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
      })
    );
}

function parseGroups(text: string): readonly Group[] {
  const groups = parseList(text);
  const isGroup = (name: string): name is Group =>
    (USAGE_GROUPS as readonly string[]).includes(name);
  if (groups.length === 0 || !groups.every(isGroup)) {
    throw new InvalidArgumentError(`Allowed choices are ${USAGE_GROUPS.join(", ")}.`);
  }
  return groups;
}
