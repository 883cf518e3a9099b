/**
 * Keeps retries a fraction of traffic, so that a failing upstream is not
 * hammered by the gateway as well.
 *
 * @module
 */

/** Retries per call that are allowed in the long run. */
const SHARE = 0.2;
/** Retries that are always allowed at first, and the most that are saved up. */
const RESERVE = 10;

/** A bucket that each call fills a little and each retry empties by one. */
export class RetryBudget {
  #tokens = RESERVE;

  /** Notes a call. */
  earn(): void {
    this.#tokens = Math.min(RESERVE, this.#tokens + SHARE);
  }

  /** Takes leave for one retry. */
  take(): boolean {
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
