/**
 * What an SQLite error means for an entry. The runtime's errors carry no result
 * code, so SQLite's own fixed English texts (`sqlite3_errstr`) are told apart.
 *
 * @module
 */

import type { Refusal } from "../ports/entry.ts";
import { EntryRefused } from "../entries/entry_results.ts";

/** The refusal that an error thrown while writing stands for. */
export function refusalFromError(error: unknown): Refusal {
  if (error instanceof EntryRefused) return error.refusal;
  const message = error instanceof Error ? error.message : String(error);
  if (message.includes("database or disk is full")) {
    return { ok: false, reason: "full", message: "The disk is full" };
  }
  if (message.startsWith("UNIQUE constraint failed")) {
    return { ok: false, reason: "conflict", message: `Exists already (${message})` };
  }
  if (message.startsWith("FOREIGN KEY constraint failed")) {
    return { ok: false, reason: "missing", message: "What it refers to does not exist" };
  }
  return { ok: false, reason: concernsWholeDatabase(error) ? "unavailable" : "failed", message };
}

/** Whether an error is about the database as a whole, so that writing entry by entry cannot help. */
export function concernsWholeDatabase(error: unknown): boolean {
  const message = error instanceof Error ? error.message : "";
  return message.includes("disk is full") || message.startsWith("disk I/O error") ||
    message.startsWith("database is locked") || message.includes("disk image is malformed") ||
    message.startsWith("attempt to write a readonly database");
}
