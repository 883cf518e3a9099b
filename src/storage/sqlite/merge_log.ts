/**
 * Merges a database's log into its file, whatever its schema.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Leaves one file of a database that no process has open, and that is in order:
 * of one that is damaged SQLite would throw the log away.
 *
 * @throws {Error} SQLite's.
 */
export function mergeLog(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  const database = new DatabaseSync(path);
  try {
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    database.close();
  }
}
