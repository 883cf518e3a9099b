/**
 * Wakes somebody at the earliest of the times that are asked for.
 *
 * @module
 */

import type { AttemptDeps } from "../task/attempt.ts";

/** What an alarm works with. */
export interface AlarmOptions extends Pick<AttemptDeps, "clock" | "delay"> {
  readonly onDue: () => void;
}

/** One timer at most. */
export class Alarm {
  readonly #options: AlarmOptions;
  #set: { readonly at: number; readonly cancel: AbortController } | undefined;

  constructor(options: AlarmOptions) {
    this.#options = options;
  }

  /** Rings at a monotonic time, or earlier where that is set already; Infinity sets nothing. */
  set(at: number): void {
    if (at === Infinity || (this.#set !== undefined && this.#set.at <= at)) return;
    this.cancel();
    const { clock, delay, onDue } = this.#options;
    const set = { at, cancel: new AbortController() };
    this.#set = set;
    // A timer may come a little early.
    delay(Math.max(1, Math.ceil(at - clock.monotonic())), set.cancel.signal).then(() => {
      if (set.cancel.signal.aborted) return;
      this.#set = undefined;
      onDue();
    });
  }

  /** Rings no more until it is set again. */
  cancel(): void {
    this.#set?.cancel.abort();
    this.#set = undefined;
  }
}
