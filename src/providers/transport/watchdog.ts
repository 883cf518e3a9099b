/**
 * Time limits of one upstream exchange with a single timer: moving the deadline
 * is an assignment, and the timer looks at it when it fires.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";

/** Calls `onLate` once when the armed limit or the total limit has passed. */
export class Watchdog {
  readonly #clock: Clock;
  readonly #onLate: (what: string) => void;
  readonly #totalAt: number;
  readonly #totalMs: number;
  #limitAt = Infinity;
  #what = "";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #timerAt = Infinity;
  #stopped = false;

  constructor(clock: Clock, options: { totalMs: number; onLate: (what: string) => void }) {
    this.#clock = clock;
    this.#onLate = options.onLate;
    this.#totalMs = options.totalMs;
    this.#totalAt = clock.monotonic() + options.totalMs;
    this.#schedule(this.#totalAt);
  }

  /** Sets the limit of the phase that begins now; `what` completes "… within N ms". */
  arm(limitMs: number, what: string): void {
    if (this.#stopped) return;
    this.#limitAt = this.#clock.monotonic() + limitMs;
    this.#what = `${what} within ${Math.round(limitMs)} ms`;
    const at = Math.min(this.#limitAt, this.#totalAt);
    // A later deadline needs no new timer: the one that is set looks again when it fires.
    if (at < this.#timerAt) this.#schedule(at);
  }

  /** Ends the current phase; only the total limit goes on. */
  disarm(): void {
    this.#limitAt = Infinity;
  }

  /** Ends all limits. */
  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(at: number): void {
    clearTimeout(this.#timer);
    this.#timerAt = at;
    const delayMs = Math.max(0, Math.ceil(at - this.#clock.monotonic()));
    this.#timer = setTimeout(() => this.#look(), Math.min(delayMs, 0x7fffffff));
  }

  #look(): void {
    if (this.#stopped) return;
    const now = this.#clock.monotonic();
    if (now >= this.#limitAt) return this.#late(this.#what);
    if (now >= this.#totalAt) return this.#late(`complete within ${this.#totalMs} ms`);
    this.#schedule(Math.min(this.#limitAt, this.#totalAt));
  }

  #late(what: string): void {
    this.stop();
    this.#onLate(what);
  }
}
