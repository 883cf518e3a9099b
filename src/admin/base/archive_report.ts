/**
 * Archives of calls: what is asked of whoever writes them, and what becomes of one.
 *
 * @module
 */

import type { Checkpoint } from "../../domain/checkpoint.ts";
import type { StoredCall } from "../../domain/call.ts";
import type { NotedArchive } from "../../storage/ports/archived_runs.ts";
import type { AdminEntry } from "../../storage/ports/entry.ts";
import type { CheckpointStore } from "../../storage/ports/storage.ts";
import type { Difference } from "./findings.ts";
import type { WorkProgress, WorkWatcher } from "./work_progress.ts";

/** What an archive would hold. */
export interface ArchivePlan {
  readonly ledgerRows: number;
  readonly calls: number;
  /** Milliseconds since the epoch, of the first ledger row and the last. */
  readonly firstAt: number;
  readonly lastAt: number;
  /** Credits whose references stay in the database. */
  readonly references: number;
  /** Calls that stay beside their archived selves, for the tasks of their films. */
  readonly films: number;
}

/** What lies before a time and is not archived. */
export interface ArchiveLeavings {
  /** Calls that have not ended. */
  readonly openCalls: number;
  /** Ledger rows behind one of a later time. */
  readonly rowsOutOfOrder: number;
  /** Ledger rows that no seal stands for yet: of a server alone. */
  readonly unsealedRows?: number;
  /** Ledger rows of sealed runs that have rows of a later time, too: of a server alone. */
  readonly rowsReachingBeyond?: number;
}

/** What there is to archive before a time. */
export interface ArchiveOutlook {
  /** `undefined` when there is nothing. */
  readonly plan: ArchivePlan | undefined;
  readonly leavings: ArchiveLeavings;
}

/** An archive that a database has noted: of a file's rows by their numbers, or of runs. */
export type KnownArchive =
  & Omit<Checkpoint, "lastSeq">
  & Partial<Pick<Checkpoint, "lastSeq">>
  /** What is known of one on a server, besides. */
  & Partial<Pick<NotedArchive, "isDropped" | "isBegun" | "isAnothers" | "isRestoring" | "node">>;

/** A file's archive as it was written. */
export interface WrittenCheckpoint {
  readonly checkpoint: Checkpoint;
  /** What the checkpoint states. */
  readonly document: string;
  readonly bytes: number;
}

/** An archive that is whole, proved and on the disk, and that nothing depends on yet. */
export interface WrittenArchive {
  readonly archive: KnownArchive;
  /** Has the database depend on it. */
  readonly entry: AdminEntry;
  readonly bytes: number;
  /** Why something is not in it that is old enough; `undefined` where all of it is. */
  readonly trouble: string | undefined;
  /** Whether other nodes go without it: it lies in the data dir of the one that has made it. */
  readonly isOfOneNode?: boolean;
}

/** What an archive says about a call. */
export type ArchivedCall =
  | { readonly kind: "found"; readonly call: StoredCall }
  | { readonly kind: "not_in_it" }
  /**
   * The file is not where it was written, or cannot be read there; `damage` is what is wrong with what it
   * says of the call, without its path.
   */
  | { readonly kind: "unreadable"; readonly damage?: string };

/** What is stated of an archive that was read from its first byte to its last. */
export interface ArchiveProof {
  readonly file: string;
  readonly number: number;
  /** SHA-256 of what it states, as the database keeps it. */
  readonly sha256: string;
  /** Every row is of an earlier time. */
  readonly before: string;
  readonly from_seq: number;
  readonly to_seq: number;
  /** Sealed runs, of an archive of runs: ledger rows have no numbers in common then. */
  readonly runs?: number;
  readonly calls: number;
  readonly projects: number;
  /** What does not add up; empty when everything does. */
  readonly differences: readonly Difference[];
  /** Further differences that are not listed. */
  readonly omitted: number;
}

/** Writes archives of the database that this process has, and reads them. */
export interface AdminArchives {
  /** What there is to archive of before a time, in milliseconds since the epoch. */
  outlook(beforeMs: number): Promise<ArchiveOutlook>;
  /**
   * Writes an archive and reads it again, or takes the one that an earlier try has left at
   * that place. Without a place it goes to `<data>/archives`.
   *
   * @throws {GatewayError} `conflict`, `storage_full`
   */
  write(beforeMs: number, place: string | undefined): Promise<WrittenArchive>;
  /**
   * Drops what the last checkpoint has archived, a few rows at a time.
   *
   * @throws {ArchiveFileAway} Where the archive is not where it was written: nothing is dropped.
   * @throws {GatewayError} `shutting_down`, `storage_full`, `internal_error`
   */
  dropArchived(): Promise<void>;
  /**
   * Runs while no other archiving does. Whoever follows it may end it until something depends on
   * the archive.
   *
   * @throws {GatewayError} `conflict`
   */
  alone<Value>(work: () => Promise<Value>, watcher?: WorkWatcher): Promise<Value>;
  /** Whether archiving is under way, so that another would be refused. */
  readonly isUnderWay: boolean;
  /** `undefined` when nothing is under way. */
  progress(): WorkProgress | undefined;
  /**
   * Goes on with dropping what an earlier process has left, if it did; gives the archive that it was at.
   *
   * @throws {GatewayError} As `dropArchived`.
   */
  finishDropping(
    checkpoints: Pick<CheckpointStore, "hasLeftovers" | "list">,
  ): Promise<KnownArchive | undefined>;
  /**
   * Reads an archive of sealed runs from its first byte to its last, so that its rows may be put back.
   *
   * @throws {GatewayError} `conflict` where it is not where it was written, or not whole.
   */
  proveToRestore(archive: KnownArchive): Promise<void>;
  /**
   * Puts the rows of a proved archive back that the database has noted as to be restored, a few at a time;
   * gives how many. Once all are there, the archive is forgotten, and its file stays.
   *
   * @throws {GatewayError} `conflict` where rows are not those that were archived; `shutting_down`
   */
  restore(archive: KnownArchive): Promise<number>;
  /** Archives besides those that checkpoints tell of, in their order. */
  list(): Promise<readonly KnownArchive[]>;
  findCall(archive: KnownArchive, callId: number): Promise<ArchivedCall>;
  /** Whether the archive lies where it was written, and not another file. */
  isInPlace(archive: KnownArchive): Promise<boolean>;
}
