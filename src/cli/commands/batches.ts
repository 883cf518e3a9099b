/**
 * `tollgate batches …`
 *
 * @module
 */

import type { Command } from "commander";
import { type BatchRow, cancelBatch, listBatches, showBatch } from "../../admin/batches.ts";
import type { Cli } from "../base/cli.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";
import { type Column, type Facts, timeText } from "../base/table.ts";

export function batches(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listBatches,
      description: "List batches, newest first, and how far they are.",
      example: "batches list --project shop",
      most: 50,
      columns: () => BATCH_COLUMNS,
      none: "No such batches",
    }),
    factsCommand(cli, {
      operation: showBatch,
      example: "batches show batch_mfzgs5dmn5xgk3tpobzgk43u2a",
      facts: batchFacts,
    }),
    factsCommand(cli, {
      operation: cancelBatch,
      description: "Have a batch ask for nothing more. What is under way ends; what was answered " +
        "is kept and charged.",
      example: "batches cancel batch_mfzgs5dmn5xgk3tpobzgk43u2a",
      facts: batchFacts,
    }),
  ];
}

/** The columns of `batches list`. */
const BATCH_COLUMNS: readonly Column<BatchRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "ENDPOINT", value: ({ endpoint }) => endpoint },
  { header: "STATUS", value: statusText },
  { header: "DONE", value: ({ completed, failed }) => completed + failed, align: "right" },
  { header: "FAILED", value: ({ failed }) => failed, align: "right" },
  { header: "LINES", value: ({ total }) => total, align: "right" },
  { header: "CREATED", value: ({ created_at }) => timeText(created_at) },
];

function batchFacts(row: BatchRow): Facts {
  return [
    ["id", row.id],
    ["status", statusText(row)],
    ...row.errors.map(({ line, code, message }) =>
      ["error", `${line === null ? "" : `line ${line}: `}${code}: ${message}`] as const
    ),
    ["project", `${row.project} (${row.key})`],
    ["endpoint", row.endpoint],
    ["model", row.model],
    ["lines", `${row.total} (${row.completed} completed, ${row.failed} failed)`],
    ["tokens", `${row.input_tokens} in, ${row.output_tokens} out`],
    ["created", row.created_at],
    ["expires", row.ended_at === null ? row.expires_at : null],
    ["ended", row.ended_at],
    ["input file", row.input_file],
    ["output file", row.output_file],
    ["error file", row.error_file],
  ];
}

function statusText({ status, waiting }: BatchRow): string {
  return waiting === null ? status : `${status}, waits: ${waiting}`;
}
