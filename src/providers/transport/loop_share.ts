/**
 * Keeps one body from having the event loop to itself: a read whose bytes are there already comes
 * back without a turn of the loop, so that many of them in a row would let nobody else in.
 *
 * @module
 */

import { setImmediate } from "node:timers";

/** Bytes after which others have their turn: some milliseconds of work. */
const SHARE_BYTES = 512 * 1024;

/** What one reader has had since the others' last turn. */
export class LoopShare {
  #bytes = 0;

  /** Counts bytes; waits for the others once they are many. Most often there is nothing to await. */
  take(bytes: number): Promise<void> | undefined {
    this.#bytes += bytes;
    if (this.#bytes < SHARE_BYTES) return undefined;
    this.#bytes = 0;
    return new Promise((resolve) => setImmediate(() => resolve()));
  }
}
