/**
 * A count over the last 60 seconds.
 *
 * @module
 */

/** Length of the window, in one-second buckets. */
export const WINDOW_SECONDS = 60;

/**
 * Sixty one-second buckets and their sum. What is added in second `s` counts up
 * to and including second `s + 59`. Time is given in whole seconds of a clock
 * that never goes backwards; a step costs O(1) amortised.
 */
export class SlidingWindow {
  readonly #buckets = new Float64Array(WINDOW_SECONDS);
  #newest: number;
  #sum = 0;

  constructor(second: number) {
    this.#newest = second;
  }

  /** Adds to a second within the window; what is older is past and is ignored. */
  add(second: number, amount: number): void {
    if (second > this.#newest) this.#advance(second);
    if (second <= this.#newest - WINDOW_SECONDS) return;
    this.#buckets[index(second)]! += amount;
    this.#sum += amount;
  }

  sum(second: number): number {
    if (second > this.#newest) this.#advance(second);
    return this.#sum;
  }

  /**
   * The first second in which the sum is at most `most`, without further
   * additions; at least `second` itself. `most` must not be negative: by then
   * the window is empty at the latest.
   */
  secondWithAtMost(most: number, second: number): number {
    let left = this.sum(second);
    for (let oldest = this.#newest - WINDOW_SECONDS + 1; left > most; oldest++) {
      if (oldest > this.#newest) break;
      left -= this.#buckets[index(oldest)]!;
      if (left <= most) return oldest + WINDOW_SECONDS;
    }
    return second;
  }

  #advance(second: number): void {
    const passed = Math.min(second - this.#newest, WINDOW_SECONDS);
    for (let step = 0; step < passed; step++) {
      const place = index(second - step);
      this.#sum -= this.#buckets[place]!;
      this.#buckets[place] = 0;
    }
    this.#newest = second;
  }
}

/** The bucket of a second; restored seconds may lie before the clock's start. */
function index(second: number): number {
  return ((second % WINDOW_SECONDS) + WINDOW_SECONDS) % WINDOW_SECONDS;
}
