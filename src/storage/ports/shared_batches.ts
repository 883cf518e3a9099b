/**
 * Batches of a database that several processes use: each is the work of one session, and when that has
 * ended, of another one that can go on with it.
 *
 * @module
 */

import type { Batch } from "../../domain/batch.ts";

/** Batches, as one session sees them. */
export interface SharedBatches {
  /** Open ones that are this session's work, oldest first. */
  own(): Promise<readonly Batch[]>;
  /** Open ones that are no living session's work, oldest first. */
  left(): Promise<readonly Batch[]>;
  /** Makes these this session's work, as far as they are no living one's. */
  adopt(batchIds: readonly string[]): Promise<void>;
  /** Ids of its own that somebody has cancelled, here or elsewhere, and that have not ended. */
  cancelled(): Promise<readonly string[]>;
  /** How many batches of a project are open. */
  openCount(projectId: string): Promise<number>;
  /** Bytes that the files of a project take. */
  fileBytes(projectId: string): Promise<number>;
}
