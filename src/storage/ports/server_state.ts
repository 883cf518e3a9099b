/**
 * How the server of a database is doing, as a driver tells it whose database is on one.
 *
 * @module
 */

/** As of the last look at it, of which there are several a second. */
export interface ServerState {
  /** Milliseconds since the last look began that it has answered. */
  readonly silentMs: number;
  /** Milliseconds that the last answer took. */
  readonly answerMs: number;
  /** Milliseconds that this machine's clock is ahead of the server's, as of the last answer. */
  readonly clockAheadMs: number;
  /** Milliseconds for which it has confirmed nothing of what is being written; 0 where nothing is. */
  readonly writingMs: number;
  /** Why the last look failed. */
  readonly trouble: string | undefined;
}
