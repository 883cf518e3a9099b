/**
 * `tollgate files …`
 *
 * @module
 */

import type { Command } from "commander";
import {
  deleteFile,
  type FileDetails,
  type FileRow,
  listFiles,
  showFile,
} from "../../admin/files.ts";
import type { Cli } from "../base/cli.ts";
import { factsCommand, listCommand } from "../operations/operation_command.ts";
import { type Column, type Facts, timeText } from "../base/table.ts";

export function files(cli: Cli): readonly Command[] {
  return [
    listCommand(cli, {
      operation: listFiles,
      description: "List files that callers have uploaded and those that batches have made, " +
        "newest first.",
      example: "files list --project shop",
      most: 50,
      columns: () => FILE_COLUMNS,
      none: "No such files",
    }),
    factsCommand(cli, {
      operation: showFile,
      example: "files show file-mfzgs5dmn5xgk3tpobzgk43u2a",
      facts: fileFacts,
    }),
    factsCommand(cli, {
      operation: deleteFile,
      description: "Delete a file for good. One that a batch still reads is refused: wait until " +
        "the batch has ended, or cancel it.",
      example: "files delete file-mfzgs5dmn5xgk3tpobzgk43u2a",
      facts: ({ id }) => [["deleted", id]],
    }),
  ];
}

/** The columns of `files list`. */
const FILE_COLUMNS: readonly Column<FileRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "PURPOSE", value: ({ purpose }) => purpose },
  { header: "BYTES", value: ({ bytes }) => bytes, align: "right" },
  { header: "CREATED", value: ({ created_at }) => timeText(created_at) },
  { header: "EXPIRES", value: ({ expires_at: at }) => at === null ? "never" : timeText(at) },
  { header: "READ BY", value: readersText },
  { header: "NAME", value: ({ filename }) => filename },
];

function fileFacts(row: FileDetails): Facts {
  return [
    ["id", row.id],
    ["name", row.filename],
    ["project", row.project],
    ["purpose", row.purpose],
    ["bytes", String(row.bytes)],
    ["sha256", row.sha256],
    ["created", row.created_at],
    ["expires", row.expires_at ?? "never"],
    ["read by", row.read_by.length === 0 ? "no batch" : row.read_by.join(", ")],
    ["path", row.path],
  ];
}

function readersText({ read_by: [first, ...others] }: FileRow): string {
  if (first === undefined) return "-";
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}
