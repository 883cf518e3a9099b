/**
 * The books as they are read to be checked.
 *
 * @module
 */

import type { Balance } from "../../domain/account.ts";
import type { BookPlace } from "../../domain/book.ts";
import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";

/** What a project's last ledger row says about it. */
export interface LastBalance {
  readonly projectId: string;
  /** Spendable and held together. */
  readonly totalE8: AmountE8;
}

/** What is read at one moment. */
export interface SnapshotQuery {
  /** Of each book the rows behind this one; of one that is not named, all. */
  readonly after: readonly BookPlace[];
  /** At most so many rows of each book. */
  readonly rows: number;
  /** At most so many open calls. */
  readonly openCalls: number;
}

/** The books at one moment. */
export interface Snapshot {
  /** Rising in each book. */
  readonly rows: readonly LedgerRow[];
  readonly balances: readonly Balance[];
  readonly openCalls: readonly StoredCall[];
}

/** Rows of the tables that a check of the books reads. */
export interface RowCounts {
  readonly ledger: number;
  readonly calls: number;
  readonly priceVersions: number;
  readonly audit: number;
}

/** A stored row whose checksum does not fit its columns. */
export interface AlteredRow {
  readonly table: string;
  readonly id: string;
}
