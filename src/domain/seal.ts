/**
 * What a seal states of a run of ledger rows that was checked: where balances ended, what its calls
 * come to in every sum, and what the database says of the rows as long as they stay as they are.
 *
 * @module
 */

import type { BookId } from "./book.ts";

/** What calls of one hour and subject have added to a table of sums. */
export interface SealedSum {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly subject: readonly string[];
  /** In the table's order. Integers in digits. */
  readonly figures: readonly string[];
  /** The least that an older rule may have added. Absent: the same. */
  readonly least?: readonly string[];
}

/** As stored; integers that may be large are digits. */
export interface SealDocument {
  readonly book: BookId;
  /** The row before the first. */
  readonly after_seq: number;
  readonly through_seq: number;
  /** SHA-256 of the seal before it in its book; `null` for the first. */
  readonly previous: string | null;
  readonly digest: string;
  /** Of each project that has rows in the run: its balance in this book after the last of them. */
  readonly balances: Readonly<Record<string, string>>;
  /** Calls that its rows have closed: how many, the sum of their ids, and of their ids mixed. */
  readonly calls: readonly [calls: string, ids: string, mixed: string];
  /** The times of the first and the last row, milliseconds since the epoch. */
  readonly first_at: number;
  readonly last_at: number;
  readonly price_versions: readonly number[];
  /** By table. */
  readonly sums: Readonly<Record<string, readonly SealedSum[]>>;
}
