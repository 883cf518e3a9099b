/**
 * A permit over gauges.
 *
 * @module
 */

import type { Limits } from "../domain/catalogue.ts";
import type { Gauge } from "./gauge.ts";
import type { Permit } from "./permit.ts";
import type { Admitted } from "./sure_room.ts";

/** One call's share of some gauges, in which its place is taken: of its project and key, or of its route. */
export class GaugePermit implements Permit {
  readonly #gauges: readonly Gauge[];
  readonly #limits: readonly Limits[];
  readonly #admitted: Admitted | undefined;
  /** When it was counted as a request; `undefined` until then. */
  #second: number | undefined;
  #tokens = 0;
  #released = false;

  /**
   * @param limits What stands against each.
   * @param admitted Where it is added up what all such permits let in.
   */
  constructor(gauges: readonly Gauge[], limits: readonly Limits[], admitted?: Admitted) {
    this.#gauges = gauges;
    this.#limits = limits;
    this.#admitted = admitted;
  }

  /** Counts it as a request, once, where all have room for it; says whether. */
  count(tokens: number, second: number): boolean {
    for (let index = 0; index < this.#gauges.length; index++) {
      if (this.#gauges[index]!.count(this.#limits[index]!, tokens, second)) continue;
      this.#uncount(index, tokens, second);
      return false;
    }
    this.#second = second;
    this.#tokens = tokens;
    const admitted = this.#admitted;
    if (admitted !== undefined) {
      admitted.calls++;
      admitted.tokens += tokens;
    }
    return true;
  }

  /** Takes back what the first of the gauges have counted. */
  #uncount(gauges: number, tokens: number, second: number): void {
    for (const gauge of this.#gauges.slice(0, gauges)) {
      gauge.giveBackRequest(second);
      gauge.adjust(-tokens, second);
    }
  }

  correct(tokens: number): void {
    const difference = tokens - this.#tokens;
    if (difference === 0 || this.#second === undefined) return;
    this.#tokens = tokens;
    if (this.#admitted !== undefined && difference > 0) this.#admitted.tokens += difference;
    for (const gauge of this.#gauges) gauge.adjust(difference, this.#second);
  }

  release(): void {
    if (this.#released) return;
    this.#released = true;
    for (const gauge of this.#gauges) gauge.leave();
  }

  uncount(): void {
    if (this.#second === undefined) return;
    this.#uncount(this.#gauges.length, this.#tokens, this.#second);
    this.#second = undefined;
  }

  withdraw(): void {
    if (this.#released) return;
    this.uncount();
    this.release();
  }
}
