/**
 * How far a body is behind its least rate.
 *
 * @module
 */

/**
 * Counts the time that a sender has been waited for and not yet made good by bytes. What came
 * faster than it had to is no credit for later: else most of a body, sent at once, would pay for
 * hours of silence.
 */
export class BodyPace {
  /** The least rate, in bytes/s. */
  readonly minBytesPerSecond: number;
  #owedMs = 0;

  constructor(minBytesPerSecond: number) {
    this.minBytesPerSecond = minBytesPerSecond;
  }

  /** Milliseconds that the sender would be behind if it has been waited for this long now. */
  owedMs(waitingMs = 0): number {
    return this.#owedMs + waitingMs;
  }

  /** Notes what came of a wait. */
  waited(milliseconds: number, bytes: number): void {
    const madeGoodMs = bytes * 1000 / this.minBytesPerSecond;
    this.#owedMs = Math.max(0, this.#owedMs + milliseconds - madeGoodMs);
  }
}
