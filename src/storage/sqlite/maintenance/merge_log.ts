/**
 * Databases without their logs, whatever their schema.
 *
 * @module
 */

import { existsSync, realpathSync } from "node:fs";
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
 * For a look at a database: when it is disposed of, the log and the index that the look has left
 * are gone, unless somebody has the database open: whoever closes one last takes them along.
 */
export function leaveNoTrace(file: string): Disposable {
  // SQLite has the log beside the file that a link leads to.
  const path = existsSync(file) ? realpathSync(file) : file;
  const hadLog = existsSync(`${path}-wal`);
  // Only SQLite can tell whether it is the log that was left: a server may have started on the
  // file meanwhile.
  return { [Symbol.dispose]: () => hadLog ? undefined : dropEmptyLog(path) };
}

function dropEmptyLog(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  const database = new DatabaseSync(path);
  try {
    // Files are opened by the first look; this one fits a damaged database too.
    database.prepare("PRAGMA schema_version").get();
  } finally {
    database.close();
  }
}
