/**
 * Leaves a database without its log, whatever its schema.
 *
 * @module
 */

import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

/**
 * Merges the log into the file of a database that no process has open, and that is in order:
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

/**
 * Removes the log and the index that a look at a database has left, unless somebody
 * has it open: whoever closes a database last takes them along.
 *
 * @throws {Error} SQLite's.
 */
export function dropEmptyLog(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  const database = new DatabaseSync(path);
  try {
    // Files are opened by the first look; this one fits a damaged database too.
    database.prepare("PRAGMA schema_version").get();
  } finally {
    database.close();
  }
}
