/**
 * Opens the database file: checked, migrated, durable, readable by its owner only.
 *
 * @module
 */

import { chmodSync, closeSync, existsSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { inspectDatabaseFile } from "./database_file.ts";
import { migrate, type Migration, MIGRATIONS, refuseNewerSchema } from "./migrations.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";

/** What a test may choose otherwise. */
export interface DatabaseOptions {
  /** The schema's versions in order; the last one is the current version. */
  readonly migrations?: readonly Migration[];
}

/**
 * `synchronous = FULL`: a settle must survive power loss before its answer
 * completes. `busy_timeout` blocks this thread while it waits, so it is short:
 * only a foreign process (an operator's shell) can ever hold the lock.
 * `secure_delete`: what a caller deletes, such as a kept answer, is overwritten with
 * zeros in the database. The log keeps it until later writes come to its place there,
 * or until the process ends in good order.
 */
const PRAGMAS = `
PRAGMA busy_timeout = 250;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = FULL;
PRAGMA foreign_keys = ON;
PRAGMA secure_delete = ON;
PRAGMA journal_size_limit = 67108864;
PRAGMA cache_size = -4096;
PRAGMA temp_store = MEMORY;
PRAGMA trusted_schema = OFF;
`;

/**
 * Opens (or creates) the database at `path`. Folders made for it get mode 0700;
 * the file, its log and its index 0600.
 *
 * @throws {StorageOpenError} If the file is damaged, not ours or of a newer
 * schema (its bytes are then unchanged), or cannot be opened at all.
 */
export function openDatabase(path: string, options: DatabaseOptions = {}): DatabaseSync {
  const migrations = options.migrations ?? MIGRATIONS;
  const file = inspectDatabaseFile(path);
  refuseNewerSchema(file.schemaVersion, { path, migrations });
  let database: DatabaseSync | undefined;
  try {
    createPrivateFile(path);
    database = new DatabaseSync(path);
    database.exec(PRAGMAS);
    migrate(database, { path, migrations });
    return database;
  } catch (cause) {
    database?.close();
    if (cause instanceof StorageOpenError) throw cause;
    throw new StorageOpenError(
      `Cannot open the database ${path}: ${(cause as Error).message}`,
      { cause },
    );
  }
}

/** SQLite gives its log and index files the mode of the database file. */
function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
  for (const name of [path, `${path}-wal`, `${path}-shm`]) {
    if (existsSync(name)) chmodSync(name, 0o600);
  }
}
