/**
 * The stores of a database that is only looked at: a backup, or the database of
 * another process.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import type { ReadOnlyStorage } from "../ports/maintenance.ts";
import { inspectDatabaseFile } from "./database_file.ts";
import { MIGRATIONS, refuseNewerSchema } from "./migrations.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import { callHere, readsOver, serving } from "./operations.ts";
import { createStores } from "./stores.ts";

/**
 * Opens the database at `path` in this thread, without changing a byte of it. If
 * it is a database with a log, SQLite may leave an empty log and an index beside it.
 * Until it is closed, a process that writes it cannot shorten its log.
 *
 * @throws {StorageOpenError} If the file is damaged, not ours, or of another
 * schema than this program's.
 */
export function openReadOnlyStorage(path: string): ReadOnlyStorage {
  const { schemaVersion } = inspectDatabaseFile(path, { pages: "none" });
  refuseNewerSchema(schemaVersion, { path, migrations: MIGRATIONS });
  if (schemaVersion < MIGRATIONS.length) {
    throw new StorageOpenError(
      `Cannot read the database ${path}: it has schema version ${schemaVersion}, which this program first has to bring to ${MIGRATIONS.length}`,
    );
  }
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    database.exec("BEGIN");
    const stores = createStores(database, path, { readOnly: true });
    return {
      ...readsOver(callHere(serving(stores))),
      close: () => database.close(),
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
