/**
 * The SQLite driver in the calling thread.
 *
 * @module
 */

import type { Storage } from "../ports/storage.ts";
import { type DatabaseOptions, openDatabase } from "./database.ts";
import { createStorageOperations } from "./storage_operations.ts";
import { storageOver } from "./storage_over.ts";

/**
 * Opens (or creates) the database at `path` and serves the storage port from it.
 * Its calls block this thread for as long as SQLite works, a sync included.
 *
 * @throws {StorageOpenError} If the file cannot be used; see {@linkcode openDatabase}.
 */
export function createSqliteStorage(path: string, options: DatabaseOptions = {}): Storage {
  const operations = createStorageOperations(openDatabase(path, options), path);
  return storageOver((name, ...args) =>
    new Promise((resolve) => {
      const operation = operations[name] as (...args: unknown[]) => never;
      resolve(operation(...args));
    })
  );
}
