/**
 * Checks every page of a database that is in use.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import { pagesFault } from "../database_file.ts";
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
    const fault = pagesFault(database, "full");
    if (fault === undefined) return;
    throw new StorageOpenError(
      `The database ${path} is damaged: ${fault}. Make a copy of it, stop the server and restore a backup`,
    );
  } finally {
    database.close();
  }
}
