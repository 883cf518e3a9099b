/**
 * Compares an archive with the database that it is of, before anything is dropped there.
 *
 * @module
 */

import type { ArchiveFile } from "../../storage/sqlite/archive_file.ts";
import type { ArchiveSource } from "../../storage/sqlite/archive_source.ts";
import { CHECKED_TABLE_NAMES } from "../../storage/sqlite/archive_tables.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";

const ROWS_BETWEEN_PAUSES = 500;

/** @throws {StorageOpenError} If the database lacks a row of the archive, or has it otherwise. */
export async function compareWithSource(
  archive: ArchiveFile,
  source: ArchiveSource,
  pause: () => Promise<void>,
): Promise<void> {
  for (const table of CHECKED_TABLE_NAMES) {
    let count = 0;
    for (const { key, text } of archive.rowTexts(table)) {
      if (source.rowText(table, key) !== text) {
        throw new StorageOpenError(
          `the archive ${archive.path} and the database differ: ${table} ${key}`,
        );
      }
      if (++count % ROWS_BETWEEN_PAUSES === 0) await pause();
    }
  }
}
