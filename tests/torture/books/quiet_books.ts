/**
 * Waits until nothing is under way in a database.
 *
 * @module
 */

import { type BookRows, readBookRows } from "./book_rows.ts";

const LOOK_EVERY_MS = 100;

/** The rows once no call is open, or as they are when that takes too long. */
export async function quietBooks(dataDir: string, withinMs = 20_000): Promise<BookRows> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const rows = readBookRows(dataDir);
    const isQuiet = rows.calls.every(({ state }) => state !== "open");
    if (isQuiet || performance.now() > deadline) return rows;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
