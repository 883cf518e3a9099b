/**
 * The results that entries end with.
 *
 * @module
 */

import type { EntryResult, Refusal } from "../ports/entry.ts";

/** The entry is part of its batch. */
export const DONE: EntryResult = Object.freeze({ ok: true });

/** The entry was written before, with the same content. */
export const REPEATED: EntryResult = Object.freeze({ ok: true, repeated: true });

/** The stored state does not allow it. */
export function conflict(message: string): Refusal {
  return { ok: false, reason: "conflict", message };
}

/** What the entry refers to does not exist. */
export function missing(
  what: "project" | "key" | "call" | "route" | "video task" | "webhook message" | "response",
  id: string | number,
): Refusal {
  return { ok: false, reason: "missing", message: `There is no ${what} '${id}'` };
}
