/**
 * Sealed runs as they are archived: their rows as they are stored, and what a database keeps of the
 * archives.
 *
 * @module
 */

import type { BookPlace } from "../../domain/book.ts";
import type { RunArchive } from "../../domain/run_archive.ts";
import type { LedgerRun } from "./ledger_run.ts";

/** A row's values in the order of its table's columns, checksum last; integers as BigInts. */
export type RawRow = readonly (string | number | bigint | null)[];

/** Some rows of a run with what belongs to them, as they are stored. */
export interface RawRows {
  /** The last row of the ledger among them; `undefined` where there is none. */
  readonly throughSeq: number | undefined;
  readonly ledger: readonly RawRow[];
  readonly calls: readonly RawRow[];
  readonly prices: readonly RawRow[];
}

/** What there is to archive of before a time. */
export interface RunOutlook {
  readonly runs: number;
  readonly ledgerRows: number;
  readonly calls: number;
  /** Milliseconds since the epoch, of the earliest row and the latest; 0 where there is none. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Calls that stay beside their archived selves, for the tasks of their films. */
  readonly films: number;
  /** Calls that have not ended. */
  readonly openCalls: number;
  /** Rows of the ledger that no seal stands for yet. */
  readonly unsealedRows: number;
  /** Rows of sealed runs that reach beyond the time. */
  readonly rowsReachingBeyond: number;
}

/** An archive that is begun: this process alone is at one. */
export interface BegunArchive {
  readonly number: number;
  /** SHA-256 of what the archive before it states; `null` for the first. */
  readonly previous: string | null;
}

/** An archive that is noted, how far it is, and who had its file. */
export interface NotedArchive extends RunArchive {
  /** Whether nothing of it is left to be dropped. */
  readonly isDropped: boolean;
  /** Whether something of it is dropped already. */
  readonly isBegun: boolean;
  /** Whether another process, which lives, is at dropping it. */
  readonly isAnothers: boolean;
  /** Whether its rows are being put back, or that was broken off. */
  readonly isRestoring: boolean;
  /** Who was at it last; `undefined` where nobody knows any more. */
  readonly node: { readonly id: string; readonly label: string } | undefined;
}

/** What a database keeps of archives of its sealed runs. */
export interface RunArchives {
  outlook(beforeMs: number): Promise<RunOutlook>;
  /** The next run behind a place that is to be archived: all of it before a time, neither dropped nor archived. */
  next(beforeMs: number, after: BookPlace | undefined): Promise<LedgerRun | undefined>;
  /** Begins one; `undefined` where a process that lives is at one. Whoever has died is taken over from. */
  begin(): Promise<BegunArchive | undefined>;
  /** Takes back what {@linkcode begin} has said, if nothing depends on it yet. */
  giveUp(number: number): Promise<void>;
  /** Those that are noted, in their order. */
  list(): Promise<readonly NotedArchive[]>;
  /** One whose runs are not all dropped; `undefined` where there is none, or another process is at it. */
  unfinished(): Promise<NotedArchive | undefined>;
  /** Has this process be at dropping that one; `false` where another one is, or has done it. */
  take(archive: Pick<RunArchive, "number" | "sha256">): Promise<boolean>;
  /** Runs of a noted archive that are not dropped, behind a place. */
  nextToDrop(number: number, after: BookPlace | undefined): Promise<LedgerRun | undefined>;
  /**
   * Notes that nothing is left to be dropped but runs that were altered. Changes nothing where another
   * process has taken over, or a run is dropped in part: it stays unfinished.
   */
  finish(number: number): Promise<void>;
  /** The next run behind a place whose rows are to be put back: see the entry `restore_run_archive`. */
  nextToRestore(number: number, after: BookPlace | undefined): Promise<LedgerRun | undefined>;
  /** Puts rows of a book back with their calls, all or none; what is there stays as it is. */
  putBack(book: LedgerRun["book"], rows: Pick<RawRows, "ledger" | "calls">): Promise<void>;
  /** Notes that a run has all its rows again: it is as if it had never been archived. */
  restored(run: LedgerRun): Promise<void>;
  /** Forgets an archive all of whose runs are restored; changes nothing where one is not. */
  forget(number: number): Promise<void>;
}
