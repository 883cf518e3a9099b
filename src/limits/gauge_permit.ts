/**
 * A permit over gauges.
 *
 * @module
 */

import type { Gauge } from "./gauge.ts";
import type { Permit } from "./permit.ts";

/** One call's share of some gauges, in which its place is taken: of its project and key, or of its route. */
export class GaugePermit implements Permit {
  readonly #gauges: readonly Gauge[];
  /** When it was counted as a request; `undefined` until then. */
  #second: number | undefined;
  #tokens = 0;
  #released = false;

  constructor(gauges: readonly Gauge[]) {
    this.#gauges = gauges;
  }

  /** Counts it as a request; once. */
  count(tokens: number, second: number): void {
    this.#second = second;
    this.#tokens = tokens;
    for (const gauge of this.#gauges) gauge.count(tokens, second);
  }

  correct(tokens: number): void {
    const difference = tokens - this.#tokens;
    if (difference === 0 || this.#second === undefined) return;
    this.#tokens = tokens;
    for (const gauge of this.#gauges) gauge.adjust(difference, this.#second);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const gauge of this.#gauges) gauge.leave();
  }

  withdraw(): void {
    if (this.#released) return;
    if (this.#second !== undefined) {
      for (const gauge of this.#gauges) gauge.giveBackRequest(this.#second);
      this.correct(0);
    }
    this.release();
  }
}
