/**
 * The ledger in runs that were checked once: where a database can tell by itself whether they are still
 * what they were, so that nobody has to read them again.
 *
 * @module
 */

import type { BookPlace } from "../../domain/book.ts";
import type { LedgerRow, StoredCall } from "../../domain/call.ts";
import type { AlteredRow, RowCounts } from "./books.ts";
import type { RawRows, RunArchives } from "./archived_runs.ts";
import type { LedgerRun } from "./ledger_run.ts";

/** What was found in a run when it was checked; it stays as it is. */
export interface LedgerSeal extends LedgerRun {
  /** See `domain/seal.ts`. */
  readonly document: string;
  /** SHA-256 of the document. */
  readonly sha256: string;
  /** Whether its calls are too old to be kept, and deleted, or some of them. Default: they are there. */
  readonly isDropped?: boolean;
}

/** A run, read. */
export interface RunRows {
  /** Rising. */
  readonly rows: readonly LedgerRow[];
  /** Those that the rows belong to, rising. */
  readonly calls: readonly StoredCall[];
  /** Rows of either table whose checksum is wrong. */
  readonly altered: readonly AlteredRow[];
}

/** Calls that no row of the live ledger belongs to, read. */
export interface LooseCalls {
  /** Open ones, and archived ones that stay for their films' sake; rising. */
  readonly calls: readonly StoredCall[];
  readonly altered: readonly AlteredRow[];
}

/** Calls, so that two lots of them can be told apart without naming each. */
export interface CallLot {
  readonly calls: bigint;
  /** The sum of their ids. */
  readonly ids: bigint;
  /** The sum of a number in which ids differ otherwise than in their sum. */
  readonly mixed: bigint;
}

/** No call. */
export const NO_CALLS: CallLot = { calls: 0n, ids: 0n, mixed: 0n };

/** Two primes: their product is less than 2^62. */
export const FIRST_PRIME = 2_147_483_647;
export const SECOND_PRIME = 2_147_483_629;

function mixId(callId: number): bigint {
  return BigInt(callId % FIRST_PRIME) * BigInt(callId % SECOND_PRIME);
}

/** The calls that rows have closed. */
export function closedBy(rows: readonly LedgerRow[]): CallLot {
  let [calls, ids, mixed] = [0n, 0n, 0n];
  for (const { kind, callId } of rows) {
    if (callId === undefined || kind === "loss") continue;
    calls++;
    ids += BigInt(callId);
    mixed += mixId(callId);
  }
  return { calls, ids, mixed };
}

/** Several lots together. */
export function addLots(...lots: readonly CallLot[]): CallLot {
  return lots.reduce((sum, { calls, ids, mixed }) => ({
    calls: sum.calls + calls,
    ids: sum.ids + ids,
    mixed: sum.mixed + mixed,
  }), NO_CALLS);
}

/** Which rows may be sealed next. */
export interface NextRunQuery extends BookPlace {
  /** Rows of a run that is full. */
  readonly rows: number;
  /** Rows of a full run are older, in milliseconds since the epoch. */
  readonly fullBeforeMs: number;
  /** Those of any other one are. */
  readonly anyBeforeMs: number;
}

/** What a database with seals can do. */
export interface LedgerSeals {
  /** In order of books and rows, behind a run that begins there, at most `limit`. */
  list(after: BookPlace | undefined, limit: number): Promise<readonly LedgerSeal[]>;
  /** Says the same of a run as long as its rows, their calls and the prices of these are the same. */
  digest(run: LedgerRun): Promise<string>;
  /** Reads a run, or the first `limit` rows of it, and what is left of a call's then. */
  read(run: LedgerRun, limit: number): Promise<RunRows>;
  /** Reads a run, or the first `limit` rows of it, for an archive: each call comes with the row that says how it ended. */
  readRaw(run: LedgerRun, limit: number): Promise<RawRows>;
  /** Reads calls above `afterCallId`, at most `limit`. */
  looseCalls(afterCallId: number, limit: number): Promise<LooseCalls>;
  /** The run that follows a row, should it be time to seal it; the hourly sums have all of it. */
  nextRun(query: NextRunQuery): Promise<LedgerRun | undefined>;
  /** Whether this process is to seal: of those that use the database, one. */
  isSealer(): Promise<boolean>;
  /** Adds a seal; `false` where a run that begins there has one. */
  put(seal: LedgerSeal): Promise<boolean>;
  /**
   * At one moment: closed calls whose rows are in the live ledger, those that its rows have closed behind
   * these places and in runs before them whose calls are deleted, and where these begin.
   */
  lots(sealed: readonly BookPlace[]): Promise<{
    readonly closed: CallLot;
    readonly unsealed: CallLot;
    readonly dropped: readonly BookPlace[];
  }>;
  /** Closed calls without a row that closes them, and rows that close a call another one has closed. */
  strays(limit: number): Promise<
    {
      readonly calls: readonly number[];
      readonly rows: readonly (BookPlace & { readonly callId: number })[];
    }
  >;
  /** Rows that a check reads, where it reads all: calls are read with the ledger. */
  rowCounts(): Promise<RowCounts>;
  readonly dropped: DroppedCalls;
  readonly archives: RunArchives;
}

/** Sealed calls that are deleted once they are old; seals stay, and say what they came to. */
export interface DroppedCalls {
  /** When the last row was written of runs whose calls are being deleted, or are; `undefined` where none are. */
  lastAt(): Promise<number | undefined>;
  /** The first run that begins behind a place, whose rows are all of earlier times and not dropped. */
  next(beforeMs: number, after: BookPlace | undefined): Promise<LedgerRun | undefined>;
  /**
   * Deletes a run's calls with their rows, few at a time; gives how many are gone by it. Whatever breaks it
   * off, each call is there with its rows, or neither is.
   *
   * @param how `atOnce` rows of the ledger in one go; `pause` is awaited between two times; `archive` that
   * has the run: once it is no more of that one, nothing is deleted.
   */
  drop(
    run: LedgerRun,
    how: {
      readonly atOnce: number;
      readonly pause: () => Promise<void>;
      readonly archive?: number;
    },
  ): Promise<number>;
}
