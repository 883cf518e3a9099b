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
  what:
    | "project"
    | "key"
    | "token"
    | "active token"
    | "call"
    | "route"
    | "video task"
    | "webhook message"
    | "response"
    | "file"
    | "open batch",
  id: string | number,
): Refusal {
  return { ok: false, reason: "missing", message: `There is no ${what} '${id}'` };
}

/**
 * Thrown inside an entry of several steps. As a broken constraint does, it makes
 * the writer write the batch again with a savepoint around each entry, so that
 * nothing of this one stays: no row, no balance in memory, no ledger number.
 */
export class EntryRefused extends Error {
  override readonly name = "EntryRefused";
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.message);
    this.refusal = refusal;
  }
}

/**
 * Goes on after a step that was done.
 *
 * @throws {EntryRefused} If the step was refused.
 */
export function demand(result: EntryResult): void {
  if (!result.ok) throw new EntryRefused(result);
}
