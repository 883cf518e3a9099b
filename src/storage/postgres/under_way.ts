/**
 * How long what is under way has waited for its end.
 *
 * @module
 */

import { type Instant, instantNow, sinceInstant } from "../../domain/instant.ts";

/** Work that has begun. */
export class UnderWay {
  readonly #begun: Set<Instant> = new Set();

  /** Milliseconds for which the oldest has waited; 0 where nothing is under way. */
  get longestMs(): number {
    return Math.max(0, ...[...this.#begun].map(sinceInstant));
  }

  /** Counts work until its end. */
  async during<Result>(work: Promise<Result>): Promise<Result> {
    const begun = instantNow();
    this.#begun.add(begun);
    try {
      return await work;
    } finally {
      this.#begun.delete(begun);
    }
  }
}
