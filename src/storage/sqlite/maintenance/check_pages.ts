/**
 * Checks every page of a database that is in use.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { StorageOpenError } from "../../ports/storage_open_error.ts";

/**
 * Checks pages, indexes and constraints of the database at `path`, which this
 * process may have open: nothing but SQLite touches the file, because closing a
 * descriptor of it would take SQLite's locks away. Blocks this thread, and takes a
 * second for 250 MB.
 *
 * @throws {StorageOpenError} If something is wrong with it.
 */
export function checkDatabasePages(path: string): void {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const found = String(database.prepare("PRAGMA integrity_check(1)").get()!.integrity_check);
    if (found === "ok") return;
    throw new StorageOpenError(
      `The database ${path} is damaged: ${
        found.replaceAll(/\s*\n\s*/g, "; ")
      }. Make a copy of it, stop the server and restore a backup`,
    );
  } finally {
    database.close();
  }
}
