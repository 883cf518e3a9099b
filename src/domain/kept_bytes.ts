/**
 * What is kept for projects, in bytes of text.
 *
 * @module
 */

/** Why something is not kept: the project's own part is used up, or the disk's. */
export type NoRoom = "quota" | "disk";

/**
 * What an answer for repeated requests counts for besides its body, whether or not that is kept:
 * its row with its place in three indexes, of a key of usual length.
 */
export const ANSWER_ROW_BYTES = 512;

/** What one project keeps. */
export interface KeptBytes {
  readonly projectId: string;
  /** Answers for repeated requests. */
  readonly answers: number;
  /** Answers of the Responses API with their input items. */
  readonly responses: number;
  /** Those of `responses` that are still to come. */
  readonly unfinished: number;
}

/** Bytes of an answer of the Responses API, and when it was created. */
export interface DatedBytes {
  readonly projectId: string;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly bytes: number;
}

/** What some projects keep, and what is free again in the files where it lies. */
export interface KeptState {
  readonly projects: readonly KeptBytes[];
  /** Bytes that what was deleted has left behind there, to be written over. */
  readonly reusableBytes: number;
}
