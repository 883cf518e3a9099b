/**
 * `tollgate calls list`
 *
 * @module
 */

import type { Command } from "commander";
import { type CallRow, listCalls } from "../../admin/list_calls.ts";
import type { Cli } from "../base/cli.ts";
import { type Column, timeText } from "../base/table.ts";
import { listCommand } from "../operations/operation_command.ts";

export function callsList(cli: Cli): Command {
  return listCommand(cli, {
    operation: listCalls,
    description:
      "List calls, newest first, and among them the last requests that were refused before they " +
      "became calls (usage refusals counts all of those). Filters " +
      "look through a bounded number of calls at a time and say where they stopped.",
    example: "calls list --status failed --from today --slower-than 5000",
    most: 50,
    columns: () => COLUMNS,
    none: "No such calls",
  });
}

const COLUMNS: readonly Column<CallRow>[] = [
  { header: "OPENED", value: ({ opened_at }) => timeText(opened_at) },
  { header: "REQUEST", value: ({ request_id }) => request_id },
  { header: "PROJECT", value: ({ project }) => project ?? "-" },
  { header: "KEY", value: ({ key }) => key ?? "-" },
  { header: "MODEL", value: ({ model }) => model ?? "-" },
  { header: "ROUTE", value: ({ route }) => route ?? "-" },
  { header: "RESULT", value: resultText },
  { header: "MS", value: ({ milliseconds }) => milliseconds ?? "-", align: "right" },
  { header: "PROMPT", value: ({ usage }) => usage?.prompt_tokens ?? "-", align: "right" },
  { header: "OUTPUT", value: ({ usage }) => usage?.completion_tokens ?? "-", align: "right" },
  { header: "SALE", value: ({ sale }) => sale ?? "-", align: "right" },
];

function resultText({ state, result, error_code, refusal }: CallRow): string {
  if (result === null) return state;
  return [result, error_code, refusal?.why].filter(Boolean).join(" ");
}
