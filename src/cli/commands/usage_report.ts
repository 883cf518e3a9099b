/**
 * `tollgate usage report`
 *
 * @module
 */

import { type Command, Option } from "commander";
import { reportUsage, USAGE_GROUPS, type UsageRow } from "../../admin/usage.ts";
import type { Shown } from "../../documents/shown.ts";
import type { DetailFigure } from "../../domain/call_figures.ts";
import { csvOf } from "../../documents/csv.ts";
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

/** What detailed reports have besides, where any line has some of it. */
const DETAILS: readonly (readonly [figure: DetailFigure, header: string])[] = [
  ["failed_calls", "FAILED"],
  ["cached_tokens", "CACHED"],
  ["reasoning_tokens", "REASONING"],
  ["images", "IMAGES"],
  ["characters", "CHARACTERS"],
  ["audio_seconds", "AUDIO S"],
  ["searches", "SEARCHES"],
  ["films", "FILMS"],
  ["film_seconds", "FILM S"],
];

const FORMATS = ["csv", "jsonl"];

export function usageReport(cli: Cli): Command {
  return operationCommand(cli, {
    operation: reportUsage,
    description: "Add up closed calls by whole hours, or by whole days (UTC) where they are " +
      "archived. Dates are UTC; --to includes its day.",
    example: "usage report --by day,project --from 7d",
    async run({ admin, operation, input, options: { json, by = GROUPS } }) {
      const answer = await admin.call(operation, { by, ...input });
      const { data } = answer;
      const asked = [by].flat().flatMap((one) => String(one).split(","));
      const tag = asked.find((one) => one.startsWith("tag:"));
      const groups = USAGE_GROUPS.filter((group) => asked.includes(group));
      cli.printRows(data, {
        json,
        columns: [
          ...groups.map(groupColumn),
          ...(tag === undefined ? [] : [tagColumn(tag)]),
          ...FIGURES,
          ...DETAILS.filter(([figure]) => data.some((row) => (row[figure] ?? 0) > 0))
            .map(detailColumn),
        ],
        none: (answer.without_tag?.calls ?? 0) > 0
          ? "No call of this time has this tag"
          : "No calls in this time",
      });
      sayWhatIsMissing(cli, answer);
    },
  });
}

export function usageExport(cli: Cli): Command {
  return operationCommand(cli, {
    operation: reportUsage,
    name: "export",
    summary: "Print a usage report as CSV or JSON lines",
    description:
      "Print a usage report as CSV (with a heading) or JSON lines, for spreadsheets and " +
      "other programs. It takes what usage report takes.",
    example: "usage export --by key,day,model --from 2026-11-01 --details > november.csv",
    extra: [new Option("--format <format>", "csv or jsonl").choices(FORMATS).default("csv")],
    async run({ admin, operation, input, options: { json, format, by = GROUPS } }) {
      const answer = await admin.call(operation, { by, ...input });
      const { data } = answer;
      if (json === true) cli.printJson(data);
      else if (format === "csv") cli.terminal.out(csvOf(data));
      else for (const row of data) cli.terminal.out(`${JSON.stringify(row)}\n`);
      sayWhatIsMissing(cli, answer);
    },
  });
}

function sayWhatIsMissing(
  cli: Cli,
  { cut, archives, without_tag: without }: Pick<
    Shown<typeof reportUsage["output"]>,
    "cut" | "archives" | "without_tag"
  >,
): void {
  if (without !== null && without.calls > 0) {
    const calls = without.calls === 1 ? "1 call has" : `${without.calls} calls have`;
    const known = without.tags.length === 0
      ? ""
      : `; there are the tags ${without.tags.join(", ")}`;
    cli.say(`${calls} no such tag and ${without.calls === 1 ? "is" : "are"} left out${known}`);
  }
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
}

function detailColumn([figure, header]: typeof DETAILS[number]): Column<UsageRow> {
  return { header, value: (row) => row[figure] ?? 0, align: "right" };
}

function tagColumn(tag: string): Column<UsageRow> {
  return { header: tag.slice("tag:".length).toUpperCase(), value: (row) => row.tag ?? "-" };
}

function groupColumn(group: typeof USAGE_GROUPS[number]): Column<UsageRow> {
  return { header: group.toUpperCase(), value: (row) => row[group] ?? "-" };
}
