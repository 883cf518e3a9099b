/**
 * The gauges of all subjects of one sort, by id; idle ones are forgotten.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import { Gauge } from "./gauge.ts";
import type { GaugeCells } from "./shared_gauges.ts";

/** Gauges looked at per gauge asked for: more than are made, so the book cannot grow by idle ones. */
const SWEPT_PER_STEP = 2;

/** Calls of a time gone by, for rebuilding the counts at boot. */
export interface PastCalls {
  readonly requests: number;
  readonly tokens: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Finds and makes gauges, and forgets idle ones a few at a time, so that no call waits for it. */
export class GaugeBook {
  readonly #gauges = new Map<string, Gauge>();
  #sweep = this.#gauges.entries();

  get size(): number {
    return this.#gauges.size;
  }

  find(id: string): Gauge | undefined {
    return this.#gauges.get(id);
  }

  /** The subject's gauge, made where there is none. */
  open(id: string, second: number): Gauge {
    this.#forgetIdle(second);
    let gauge = this.#gauges.get(id);
    if (gauge === undefined) {
      gauge = new Gauge(second);
      this.#gauges.set(id, gauge);
    } else {
      gauge.touch(second);
    }
    return gauge;
  }

  /** Counts a subject where other threads do so too, from now on, with what is counted so far. */
  share(id: string, cells: GaugeCells, second: number): void {
    const gauge = this.open(id, second);
    gauge.copyTo(cells);
    gauge.share(cells);
  }

  /** Counts a subject where another thread has it shared. */
  adopt(id: string, cells: GaugeCells, second: number): void {
    this.open(id, second).share(cells);
  }

  /** Counts calls in the second in which they were made, by their age. */
  restore(id: string, past: PastCalls, { clock }: { readonly clock: Clock }): void {
    const nowMs = clock.monotonic();
    // A clock that was set back must not put calls into the future.
    const ageMs = Math.max(0, clock.now() - past.at);
    const gauge = this.open(id, Math.floor(nowMs / 1000));
    gauge.restore(past, Math.floor((nowMs - ageMs) / 1000));
  }

  #forgetIdle(second: number): void {
    for (let step = 0; step < SWEPT_PER_STEP; step++) {
      const next = this.#sweep.next();
      if (next.done === true) {
        this.#sweep = this.#gauges.entries();
        return;
      }
      const [id, gauge] = next.value;
      if (gauge.isIdle(second)) this.#gauges.delete(id);
    }
  }
}
