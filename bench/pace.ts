/**
 * When requests are due that come at a steady rate.
 *
 * @module
 */

/** The requests of one load at a rate. */
export class Pace {
  readonly #intervalNs: number;
  readonly #endNs: number;
  #nextNs: number;
  /** When those were seen to be due that nobody has taken yet. */
  readonly #late: number[] = [];

  constructor(
    perSecond: number,
    { startNs, endNs }: { readonly startNs: number; readonly endNs: number },
  ) {
    this.#intervalNs = 1e9 / perSecond;
    this.#nextNs = startNs;
    this.#endNs = endNs;
  }

  /** Takes a request that is due, and says since when; `undefined` when none is. */
  take(nowNs: number): number | undefined {
    for (; this.#nextNs <= Math.min(nowNs, this.#endNs); this.#nextNs += this.#intervalNs) {
      this.#late.push(nowNs);
    }
    return this.#late.shift();
  }

  /** Whether there will be no more. */
  get isOver(): boolean {
    return this.#nextNs > this.#endNs && this.#late.length === 0;
  }

  /** Milliseconds until the next is due, rounded up. */
  waitMs(nowNs: number): number {
    return Math.max(0, Math.ceil((this.#nextNs - nowNs) / 1e6));
  }
}
