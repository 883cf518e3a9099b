/**
 * Batches of a database that several processes use: each is the work of one session, and when that has
 * ended, of another one that can go on with it.
 *
 * @module
 */

import type { Batch, BatchCounts } from "../../domain/batch.ts";

/** A batch that nobody works on, as far as it matters who can. */
export type LeftBatch = Pick<
  Batch,
  "id" | "inputFileId" | "outputFileId" | "errorFileId" | "outputBytes" | "errorBytes"
>;

/** Batches, as one session sees them. */
export interface SharedBatches {
  /** Ids of open ones that are this session's work, oldest first. */
  own(): Promise<readonly string[]>;
  /** Open ones that are no living session's work, oldest first. */
  left(): Promise<readonly LeftBatch[]>;
  /** Makes these this session's work, as far as they are no living one's. */
  adopt(batchIds: readonly string[]): Promise<void>;
  /** Ids of its own that somebody has cancelled, here or elsewhere, and that have not ended. */
  cancelled(): Promise<readonly string[]>;
  /** What has become of the lines of open ones, by their ids; those without any are left out. */
  counts(batchIds: readonly string[]): Promise<ReadonlyMap<string, BatchCounts>>;
  /** How many batches of a project are open. */
  openCount(projectId: string): Promise<number>;
  /**
   * Bytes that the files of a project take; where they are no more than `mostBytes`, perhaps with some that
   * another node has deleted in the last five seconds.
   */
  fileBytes(projectId: string, mostBytes: number): Promise<number>;
}
