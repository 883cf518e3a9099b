/**
 * The SQLite driver in the calling thread.
 *
 * @module
 */

import type { Storage } from "../ports/storage.ts";
import { type DatabaseOptions, openDatabase } from "./database.ts";
import { callHere, serving, storageOver } from "./operations.ts";
import { createStores } from "./stores.ts";

/**
 * Opens (or creates) the database at `path` and serves the storage port from it.
 * Its calls block this thread for as long as SQLite works, a sync included.
 *
 * @throws {StorageOpenError} If the file cannot be used; see {@linkcode openDatabase}.
 */
export function createSqliteStorage(path: string, options: DatabaseOptions = {}): Storage {
  return storageOver(callHere(serving(createStores(openDatabase(path, options), path))));
}
