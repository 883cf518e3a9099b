/**
 * `tollgate routes explain MODEL`
 *
 * @module
 */

import type { Command } from "commander";
import { type AdminCandidate, type ExplainAnswer, explainRoutes } from "../../admin/explain.ts";
import type { Cli } from "../base/cli.ts";
import { nameKeyToRead } from "../base/name_key.ts";
import { operationCommand } from "../operations/operation_command.ts";
import { type Column, formatTable } from "../base/table.ts";

export function routesExplain(cli: Cli): Command {
  return operationCommand(cli, {
    operation: explainRoutes,
    description: "Show which routes a request would try, in order, with the figures that decide, " +
      "and why each other route is out. PRICE is what the request would cost, FIRST how often the " +
      "route is tried first. Calls nobody.",
    example: "routes explain gpt-5-mini --routing-preference lowest_price --stream\n" +
      "  tollgate routes explain video-2 --size 1280x720 --seconds 8",
    args: { model: "<model>" },
    async run({ admin, operation, input, options: { json, key: begins } }) {
      const key = typeof begins === "string" ? await nameKeyToRead(admin, begins) : undefined;
      const answer = await admin.call(operation, { ...input, ...(key !== undefined && { key }) });
      if (json === true) cli.printJson(answer);
      else print(cli, answer);
    },
  });
}

interface Ranked extends AdminCandidate {
  readonly rank: number;
}

const COLUMNS: readonly Column<Ranked>[] = [
  { header: "#", value: ({ rank }) => rank, align: "right" },
  { header: "ROUTE", value: ({ route }) => route },
  { header: "PROVIDER", value: ({ provider }) => provider },
  { header: "PRICE", value: ({ price }) => price.quote ?? "-", align: "right" },
  { header: "SUCCESS", value: (row) => `${(row.success_rate * 100).toFixed(1)}%`, align: "right" },
  { header: "MS", value: ({ latency_ms }) => latency_ms ?? "-", align: "right" },
  { header: "TOK/S", value: ({ tokens_per_second: rate }) => rate ?? "-", align: "right" },
  {
    header: "FIRST",
    value: ({ first_chance }) =>
      first_chance === null ? "-" : `${(first_chance * 100).toFixed(1)}%`,
    align: "right",
  },
  { header: "RISK", value: ({ risk_level }) => risk_level },
  { header: "PLACE", value: ({ place }) => place },
];

const HOLD: Column<Ranked> = { header: "HOLD", value: ({ hold }) => hold ?? "-", align: "right" };

function print(cli: Cli, answer: ExplainAnswer): void {
  const { terminal } = cli;
  const style = { colors: terminal.outColors };
  const ranked = answer.candidates.map((candidate, index) => ({ ...candidate, rank: index + 1 }));
  const { caller, video } = answer;
  if (video !== undefined) terminal.out(`A film of ${video.size}, ${video.seconds} s\n\n`);
  if (caller !== undefined) {
    const money = caller.unlimited ? "unlimited" : `balance ${caller.balance}`;
    const verdict = caller.may_use ? "may use it" : `refused: ${caller.refusals.join(", ")}`;
    terminal.out(`Project ${caller.project}: ${verdict}, ${money}\n\n`);
  }
  if (ranked.length === 0) terminal.out(`No route serves this request for ${answer.model}\n`);
  else {
    terminal.out(
      formatTable(ranked, caller === undefined ? COLUMNS : [...COLUMNS, HOLD], style),
    );
  }
  if (answer.rejected.length > 0) {
    terminal.out(`\n${
      formatTable(answer.rejected, [
        { header: "REJECTED", value: ({ route }) => route },
        { header: "PROVIDER", value: ({ provider }) => provider },
        { header: "REASON", value: ({ reason }) => reason },
        { header: "DETAIL", value: ({ detail }) => detail ?? "" },
      ], style)
    }`);
  }
  for (const note of answer.notes) cli.say(`Note: ${note}`);
}
