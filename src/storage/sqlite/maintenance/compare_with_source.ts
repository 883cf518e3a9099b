/**
 * Compares an archive with the database that it is of, before anything is dropped there.
 *
 * @module
 */

import { StorageOpenError } from "../../ports/storage_open_error.ts";
import { CHECKED_TABLE_NAMES, type CheckedTable } from "../checked_tables.ts";
import { SqliteArchiveFile } from "./archive_file.ts";

const ROWS_BETWEEN_PAUSES = 500;

/** @throws {StorageOpenError} If the database lacks a row of the archive, or has it otherwise. */
export async function compareWithSource(
  file: string,
  source: { rowText(table: CheckedTable, key: number): string | undefined },
  pause: () => Promise<void>,
): Promise<void> {
  using archive = new SqliteArchiveFile(file);
  for (const table of CHECKED_TABLE_NAMES) {
    let count = 0;
    for (const { key, text } of archive.rowTexts(table)) {
      if (source.rowText(table, key) !== text) {
        throw new StorageOpenError(
          `the archive ${file} and the database differ: ${table} ${key}`,
        );
      }
      if (++count % ROWS_BETWEEN_PAUSES === 0) await pause();
    }
  }
}
