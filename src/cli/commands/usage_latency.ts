/**
 * `tollgate usage latency`
 *
 * @module
 */

import type { Command } from "commander";
import { type LatencyRow, reportLatency } from "../../admin/latency.ts";
import type { Cli } from "../base/cli.ts";
import { type Column, timeText } from "../base/table.ts";
import { operationCommand } from "../operations/operation_command.ts";

export function usageLatency(cli: Cli): Command {
  return operationCommand(cli, {
    operation: reportLatency,
    name: "latency",
    summary: "Tell how fast the last calls were, and how many failed",
    description:
      "Tell how fast the last calls were, and how many failed. Times are milliseconds, " +
      "of completed calls without films: half of them, or 19 of 20, took no longer, till their " +
      "end or till the upstream's first byte.",
    example: "usage latency --by route --from 15m",
    async run({ admin, operation, input, options: { json } }) {
      const answer = await admin.call(operation, input);
      const { data, all, cut_at: cutAt } = answer;
      if (json) return cli.printJson(answer);
      cli.printRows([...data, ...(data.length > 1 ? [{ name: "(all)", ...all }] : [])], {
        json,
        columns: [
          { header: String(input.by ?? "model").toUpperCase(), value: ({ name }) => name },
          ...FIGURES,
        ],
        none: "No call has ended in this time",
      });
      if (cutAt !== null) cli.say(`There are more: these are the calls since ${timeText(cutAt)}`);
    },
  });
}

const FIGURES: readonly Column<LatencyRow>[] = [
  { header: "CALLS", value: ({ calls }) => calls, align: "right" },
  { header: "FAILED", value: ({ failed }) => failed, align: "right" },
  { header: "P50", value: ({ p50_ms }) => p50_ms ?? "-", align: "right" },
  { header: "P95", value: ({ p95_ms }) => p95_ms ?? "-", align: "right" },
  {
    header: "FIRST P50",
    value: ({ first_byte_p50_ms }) => first_byte_p50_ms ?? "-",
    align: "right",
  },
  {
    header: "FIRST P95",
    value: ({ first_byte_p95_ms }) => first_byte_p95_ms ?? "-",
    align: "right",
  },
];
