/**
 * Archives of sealed runs as a driver reads and writes them: files of their own, with the rows of each
 * run as they were in the database, and its seal.
 *
 * @module
 */

import type { StoredCall } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { ArchiveSeal } from "./archive_seal.ts";
import type { AlteredRow } from "./books.ts";
import type { RawRows } from "./archived_runs.ts";
import type { LedgerRun } from "./ledger_run.ts";
import type { LedgerSeal, RunRows } from "./seals.ts";

/** An archive that is being written. */
export interface RunArchiveWriter extends Disposable {
  /** Adds rows of a book's run; prices that it has already are left out. */
  add(book: LedgerRun["book"], rows: RawRows): void;
  /** Adds the seal of a run whose rows are all there. */
  addSeal(seal: LedgerSeal): void;
}

/** An archive that is open to be read; its bytes do not change. */
export interface RunArchiveFile extends Disposable {
  readonly path: string;
  /** What it states of itself; `undefined` when its writing was broken off. */
  stated(): ArchiveSeal | undefined;
  /** Its runs in order of books and rows, behind one, at most `limit`. */
  seals(after: LedgerRun | undefined, limit: number): readonly LedgerSeal[];
  /** Reads a run, or the first `limit` rows of it, and what is left of a call's then. */
  read(run: LedgerRun, limit: number): RunRows;
  /** The same as they are stored, without prices, which no database drops. */
  readRaw(run: LedgerRun, limit: number): RawRows;
  /** What each project of a run had in its book before, as its first row has it. */
  openings(run: LedgerRun): ReadonlyMap<string, AmountE8>;
  /** What a seal's digest is, made of the rows that the file has; `pause` is awaited now and then. */
  digest(run: LedgerRun, pause: () => Promise<void>): Promise<string>;
  /** One call; `undefined` where it is not in it. */
  call(callId: number): StoredCall | undefined;
  /** Price versions by number; unknown numbers are left out. */
  priceVersions(versions: readonly number[]): readonly PriceVersion[];
  /** Prices whose checksum is wrong. */
  alteredPrices(): readonly AlteredRow[];
  /** Rows of each table; `strays` are those of any that belong to no run. */
  counts(): {
    readonly runs: number;
    readonly ledger: number;
    readonly calls: number;
    readonly prices: number;
    readonly strays: number;
    /** 0 when there are none. */
    readonly firstCallId: number;
    readonly lastCallId: number;
  };
  /**
   * Looks at every byte.
   *
   * @throws {StorageOpenError} If something is damaged.
   */
  checkPages(): void;
}
