/**
 * The upkeep of a database that is a file in the data dir: copies, checks, replacing it, archives.
 * A driver whose database is somewhere else leaves all of this out: its upkeep is done there.
 *
 * @module
 */

import type { Archiving } from "./archives.ts";
import type { RunArchives } from "./archived_runs.ts";
import type { StorageReads } from "./storage.ts";

/** How closely a file is looked at. */
export interface InspectOptions {
  /**
   * Which of its pages are looked at: `none`; `quick`, their structure; `full`,
   * also whether indexes and constraints fit the rows (five times as long).
   * Default: `quick`, up to 250 MiB.
   */
  readonly pages?: "none" | "quick" | "full";
  /** What to do about a file that is refused. Default: what an operator does about the database. */
  readonly remedy?: string;
}

/** What a database file holds. */
export interface DatabaseFile {
  /** 0 when nothing was ever stored. */
  readonly schemaVersion: number;
  /** Whether that is this program's; else it is an older one. */
  readonly isCurrent: boolean;
  readonly bytes: number;
}

/** Something to say about a database, and what to do. */
export interface DatabaseRemark {
  readonly status: "ok" | "warning" | "problem";
  readonly detail: string;
  /** `null` when nothing is to be done. */
  readonly remedy: string | null;
}

/** What was found, and whether the content can be read by this program. */
export interface DatabaseDiagnosis {
  readonly remarks: readonly DatabaseRemark[];
  readonly isReadable: boolean;
}

/** The stores of a database that is only looked at, all of it as it was at one moment. */
export interface ReadOnlyStorage extends StorageReads {
  /** Archives of sealed runs, where a database has any. */
  readonly runArchives?: Pick<RunArchives, "list">;
  close(): void | Promise<void>;
}

/** Where a database lies, and how much of it is not in its file yet. */
export interface DatabaseFiles {
  readonly engine: string;
  /** Where the database of a data dir lies. */
  fileIn(dataDir: string): string;
  /** Files that lie beside a database and are parts of it, whether they are there or not. */
  filesBeside(path: string): readonly string[];
  /** Bytes that are written and not in the file itself yet, 0 where that cannot be told. */
  unmergedBytes(path: string): Promise<number>;
  /** More of them than this are too many. */
  readonly mostUnmergedBytes: number;
}

/** What is done with database files. */
export interface Maintenance {
  /**
   * Examines a file without changing a byte of it. A missing or empty file is a database of
   * version 0.
   *
   * @throws {StorageOpenError} If the file is junk, truncated, damaged, another program's or of a
   * newer schema.
   */
  inspect(path: string, options?: InspectOptions): DatabaseFile;
  /** What there is to say about a database that others may have open. Changes nothing. */
  diagnose(path: string, options: { readonly isServed: boolean }): DatabaseDiagnosis;
  /**
   * Opens a database in this thread, without changing a byte of it.
   *
   * @throws {StorageOpenError} If the file is damaged, not ours, or of another schema than this
   * program's.
   */
  openToRead(path: string): ReadOnlyStorage;
  /**
   * Checks every page of a database that is in use. Blocks this thread.
   *
   * @throws {StorageOpenError} If something is wrong with it.
   */
  checkPages(path: string): void;
  /**
   * Copies a database that others write meanwhile, as it is at one moment, into one new file.
   * Blocks this thread. `onStep` is asked again and again; the copy ends with its error.
   *
   * @throws {Error} The system's or the engine's; `to` may then be there in part.
   */
  copy(from: string, to: string, options?: { readonly onStep?: () => void }): Promise<void>;
  /** Brings a database that nobody has open to this program's schema, as a start does. */
  bringUpToDate(path: string): Promise<void>;
  /** For a look at a database: what it has left beside it is gone when this is disposed of. */
  leaveNoTrace(path: string): Disposable;
  /**
   * Gives a database the place of another one, which is kept under the name `kept`. Whenever it
   * is interrupted, the old one is there or the new one. Nobody has either open.
   */
  replace(
    restored: string,
    place: { readonly path: string; readonly kept: string | null },
  ): Promise<
    void
  >;
  readonly archives: Archiving;
}
