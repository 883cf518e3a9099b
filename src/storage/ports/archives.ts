/**
 * Archives of calls as a driver reads and writes them: files of their own, with the rows as they
 * were in the database.
 *
 * @module
 */

import type { StoredCall } from "../../domain/call.ts";
import type { PriceVersion } from "../../domain/price.ts";
import type { ArchiveSeal } from "./archive_seal.ts";
import type { RunArchiveFile, RunArchiveWriter } from "./run_archives.ts";
import type { Synchronous } from "./operations.ts";
import type { STORES } from "./storage.ts";

/** An archive that is open to be read; its bytes do not change. */
export interface ArchiveFile extends Disposable {
  readonly path: string;
  readonly ledger: Synchronous<typeof STORES.ledger>;
  /** What it states of itself; `undefined` when its writing was broken off. */
  seal(): ArchiveSeal | undefined;
  /** Calls with an id above `afterCallId`, rising. */
  calls(afterCallId: number, limit: number): readonly StoredCall[];
  /** Price versions by number; unknown numbers are left out. */
  priceVersions(versions: readonly number[]): readonly PriceVersion[];
  count(rows: "price_versions"): number;
  /** SHA-256 of every value of every row; `onStep` is called again and again. */
  hashContent(onStep: () => Promise<void>): Promise<string>;
  /**
   * Looks at every byte.
   *
   * @throws {StorageOpenError} If something is damaged.
   */
  checkPages(): void;
}

/** How far an archive reaches: the ledger rows from one to another, both included. */
export interface ArchiveRange {
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Milliseconds since the epoch, of the first row and the last. */
  readonly firstAt: number;
  readonly lastAt: number;
}

/** How rows are copied. */
export interface CopyRowsOptions {
  readonly range: ArchiveRange;
  /** A path that nothing has yet. */
  readonly part: string;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
  /** Hears how many ledger rows are copied. */
  readonly onCopied: (rows: number) => void;
}

/** The database as the source of archives; its methods block the thread. */
export interface ArchiveSource extends Disposable {
  /** The last archive there is; `undefined` for the first one to come. */
  lastSeal(): ArchiveSeal | undefined;
  /** The rows behind the last archive and before the first one of `beforeMs` or later; `undefined` for none. */
  rangeBefore(beforeMs: number): ArchiveRange | undefined;
  /** Rows of a time before `beforeMs` that follow one of a later time: a clock was set back. */
  rowsOutOfOrder(range: ArchiveRange | undefined, beforeMs: number): number;
  /** Open calls that began before `beforeMs`. */
  openCallsBefore(beforeMs: number): number;
  /** Calls among the rows of a range, credits with references, and films whose calls stay. */
  countsOf(range: ArchiveRange): { calls: number; references: number; films: number };
  /** Copies ledger rows, their calls, and the prices of those; `part` may be there in part if that fails. */
  copyRows(options: CopyRowsOptions): Promise<void>;
  /**
   * Compares each row of an archive with the database's.
   *
   * @throws {StorageOpenError} If the database lacks one, or has it otherwise.
   */
  compare(file: string, pause: () => Promise<void>): Promise<void>;
}

/** What a driver knows of archives. */
export interface Archiving {
  /** @throws {StorageOpenError} If there is no such file, or it is no archive that this program can read. */
  open(file: string): ArchiveFile;
  /** @param database A database of this program's schema. */
  source(database: string): ArchiveSource;
  /** Whether a file is an archive of runs; not where there is none, or it cannot be read. */
  isOfRuns(file: string): boolean;
  /** @throws {StorageOpenError} If there is no such file, or it is no archive of runs that this program can read. */
  openRuns(file: string): RunArchiveFile;
  /** @param part A path that nothing has yet. */
  writeRuns(part: string): RunArchiveWriter;
  /** Adds to a written archive what it states of itself, and makes everything last. */
  seal(file: string, seal: ArchiveSeal): void;
}
