/**
 * Merges a database's log into its file, whatever its schema.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Leaves one file, where SQLite can: `false` when the log still has what the file
 * lacks. For a database that no process has open.
 */
export function mergeLog(path: string): boolean {
  const log = `${path}-wal`;
  if (!existsSync(log)) return true;
  try {
    const database = new DatabaseSync(path);
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  } catch (error) {
    // Damaged: it is kept as it is, file and log.
    if (!(error instanceof Error)) throw error;
  }
  return !existsSync(log);
}
