/**
 * The part of the check that compares each row with its checksum.
 *
 * @module
 */

import type { LedgerStore } from "../../storage/ports/storage.ts";
import type { Differences } from "../base/findings.ts";

/** How to go through the rows. */
export interface RowSumOptions {
  readonly differences: Differences;
  /** Rows read in one go. */
  readonly slice: number;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
}

/** Below every key that a table may have. */
const FIRST = Number.MIN_SAFE_INTEGER;

/** Finds altered rows. */
export async function checkRowSums(
  ledger: Pick<LedgerStore, "alteredRows">,
  { differences, slice, pause }: RowSumOptions,
): Promise<void> {
  for (const table of ["calls", "ledger", "price_versions"] as const) {
    let after: number | undefined = FIRST;
    while (after !== undefined) {
      const { altered, next } = await ledger.alteredRows(table, after, slice);
      for (const row of altered) {
        differences.add({
          table,
          id: row.id,
          column: null,
          expected: null,
          found: null,
          detail: "the row was altered: its checksum does not fit its columns",
        });
      }
      after = next;
      await pause();
    }
  }
}
