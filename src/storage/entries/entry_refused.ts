/**
 * A refusal that comes after an entry has written something.
 *
 * @module
 */

import type { EntryResult, Refusal } from "../ports/entry.ts";

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
