/**
 * Time limits of upstream exchanges. All exchanges share one timer that looks at
 * their deadlines: a timer of its own would be a good part of what a call costs.
 *
 * @module
 */

import { Roster, type Rostered } from "../../domain/brief_map.ts";
import type { Clock } from "../../domain/clock.ts";

/** How late a limit may be noticed. */
const SWEEP_MS = 20;
/** Between two looks this process has stood still: what has come meanwhile nobody has taken in yet. */
const STANDSTILL_MS = 250;

/** Exchanges under way, and the timer that looks at them while there are any. */
const watched = new Roster<Watchdog>();
let sweeper: ReturnType<typeof setInterval> | undefined;
let sweptAt = 0;
/** Whether the last look was left out. */
let isLeftOut = false;

/** Calls `onLate` once when the armed limit or the total limit has passed. */
export class Watchdog implements Rostered {
  place = -1;
  /** Whose time its limits are in. */
  readonly clock: Clock;
  readonly #onLate: (what: string) => void;
  readonly #totalAt: number;
  readonly #totalMs: number;
  #limitAt = Infinity;
  #limitMs = 0;
  #what = "";

  constructor(clock: Clock, options: { totalMs: number; onLate: (what: string) => void }) {
    this.clock = clock;
    this.#onLate = options.onLate;
    this.#totalMs = options.totalMs;
    this.#totalAt = clock.monotonic() + options.totalMs;
    watched.add(this);
    if (sweeper !== undefined) return;
    sweptAt = performance.now();
    sweeper = setInterval(sweep, SWEEP_MS);
  }

  /** Sets the limit of the phase that begins now; `what` completes "… within N ms". */
  arm(limitMs: number, what: string): void {
    this.#limitAt = this.clock.monotonic() + limitMs;
    this.#limitMs = limitMs;
    this.#what = what;
  }

  /** Ends the current phase; only the total limit goes on. */
  disarm(): void {
    this.#limitAt = Infinity;
  }

  /** Ends all limits. */
  stop(): void {
    watched.delete(this);
  }

  /**
   * Looks at the deadlines.
   *
   * @param now By its clock.
   */
  look(now: number): void {
    if (now >= this.#limitAt) {
      this.#late(`${this.#what} within ${Math.round(this.#limitMs)} ms`);
    } else if (now >= this.#totalAt) this.#late(`complete within ${this.#totalMs} ms`);
  }

  #late(what: string): void {
    this.stop();
    this.#onLate(what);
  }
}

function sweep(): void {
  const at = performance.now();
  const stoodStill = at - sweptAt > STANDSTILL_MS;
  sweptAt = at;
  // An upstream is not to blame for that. Once, as a busy process stands still again and again.
  isLeftOut = stoodStill && !isLeftOut;
  if (isLeftOut) return;
  // Thousands of streams may be open, and each look at the clock is a call into the runtime.
  let clock: Clock | undefined;
  let now = 0;
  watched.forEach((watchdog) => {
    if (watchdog.clock !== clock) {
      clock = watchdog.clock;
      now = clock.monotonic();
    }
    watchdog.look(now);
  });
  if (watched.size > 0) return;
  clearInterval(sweeper);
  sweeper = undefined;
}
