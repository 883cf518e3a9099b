/**
 * What a connection is doing, since when, and whether that takes too long.
 *
 * @module
 */

import type { ListenerLimits } from "./contract.ts";
import type { CoarseClock } from "./incoming_body.ts";

/** What a connection does; `closed` is the last. */
export type Phase = "idle" | "head" | "answering" | "passing" | "lingering" | "closed";

/** How long what a client still sends after a final answer is read and dropped, in all and idle. */
const LINGER_MS = 30_000;
const LINGER_IDLE_MS = 5_000;

/** The phase of one connection; a new one waits for a head. */
export class ConnectionPhase {
  readonly #clock: CoarseClock;
  #now: Phase = "head";
  /** When the present phase began, or last moved on. */
  #sinceMs: number;
  #lingerSinceMs = 0;

  constructor(clock: CoarseClock) {
    this.#clock = clock;
    this.#sinceMs = clock.nowMs;
  }

  /** The present one. */
  get now(): Phase {
    return this.#now;
  }

  /** A method: the compiler would not believe that a phase changes during an await. */
  isClosed(): boolean {
    return this.#now === "closed";
  }

  /** Begins another, but after the last. */
  enter(phase: Phase): void {
    if (this.#now === "closed") return;
    this.#now = phase;
    this.moveOn();
    if (phase === "lingering") this.#lingerSinceMs = this.#sinceMs;
  }

  /** Something has come that was waited for. */
  moveOn(): void {
    this.#sinceMs = this.#clock.nowMs;
  }

  /** Since when nothing is asked or answered; infinite while it is. Milliseconds of the coarse clock. */
  get waitingSinceMs(): number {
    const isServed = this.#now === "answering" || this.#now === "passing" || this.#now === "closed";
    return isServed ? Number.POSITIVE_INFINITY : this.#sinceMs;
  }

  /**
   * Why the connection is to be ended that waits for its client; `undefined` where it is not.
   *
   * @param slackMs How far the clock may be behind.
   */
  overdue(
    { headerTimeoutMs, keepAliveMs }: ListenerLimits,
    slackMs: number,
  ): string | undefined {
    const ageMs = this.#clock.nowMs - this.#sinceMs - slackMs;
    switch (this.#now) {
      case "head":
        return ageMs > headerTimeoutMs ? "The request head took too long" : undefined;
      case "idle":
        return ageMs > keepAliveMs ? "The connection was idle" : undefined;
      case "lingering": {
        const isOver = ageMs > LINGER_IDLE_MS ||
          this.#clock.nowMs - this.#lingerSinceMs > LINGER_MS;
        return isOver ? "The client went on sending" : undefined;
      }
      default:
        return undefined;
    }
  }
}
