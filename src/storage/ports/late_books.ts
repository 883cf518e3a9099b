/**
 * What became of calls whose session was ended by others before they were written.
 *
 * @module
 */

/** How many of them. */
export interface LateBooks {
  /** Booked after all, once. */
  readonly booked: number;
  /** Not booked: whoever went on with what the session had left has released them already. */
  readonly closedElsewhere: number;
  /** Not booked: another process has taken their `Idempotency-Key` since. */
  readonly keysTaken: number;
  /** Not booked: lines of batches, which are made again by whoever goes on with the batch. */
  readonly linesLeft: number;
}
