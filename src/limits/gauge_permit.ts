/**
 * A permit over gauges.
 *
 * @module
 */

import type { Gauge } from "./gauge.ts";
import type { Permit } from "./permit.ts";

/** One call's share of some gauges: of its project and key, or of its route. */
export class GaugePermit implements Permit {
  readonly #gauges: readonly Gauge[];
  readonly #second: number;
  #tokens: number;
  #released = false;

  constructor(gauges: readonly Gauge[], tokens: number, second: number) {
    this.#gauges = gauges;
    this.#tokens = tokens;
    this.#second = second;
  }

  correct(tokens: number): void {
    const difference = tokens - this.#tokens;
    if (difference === 0) return;
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
    for (const gauge of this.#gauges) gauge.giveBackRequest(this.#second);
    this.correct(0);
    this.release();
  }
}
