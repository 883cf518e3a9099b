/**
 * A clock that moves only when a test says so.
 *
 * @module
 */

import type { Clock } from "../../src/domain/clock.ts";

/** Both clocks of {@linkcode Clock}, moved together by `advance`. */
export class FakeClock implements Clock {
  #wallMs = Date.UTC(2026, 0, 1);
  #monotonicMs = 5_000;

  now(): number {
    return this.#wallMs;
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  advance(milliseconds: number): void {
    this.#wallMs += milliseconds;
    this.#monotonicMs += milliseconds;
  }

  /** Sets the machine's clock, as an administrator would; durations go on unharmed. */
  setWall(epochMs: number): void {
    this.#wallMs = epochMs;
  }
}
