/**
 * Waiting by a fake clock: nothing passes but what a test lets pass.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { FakeClock } from "./fake_clock.ts";

const TURNS = 10;

interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** A clock and everybody who waits by it. */
export class FakeTimeline {
  readonly clock = new FakeClock();
  readonly #sleepers = new Set<Sleeper>();

  /** As `gateway/delay.ts`. */
  readonly delay = (ms: number, signal: AbortSignal): Promise<void> => {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers.delete(sleeper);
        signal.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.clock.monotonic() + ms, wake };
      this.#sleepers.add(sleeper);
      signal.addEventListener("abort", wake, { once: true });
    });
  };

  /** Whether something is going on that needs no time of this clock, such as a write. */
  isBusy: () => boolean = () => false;

  /** Lets time pass and wakes everybody whose time has come. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    const now = this.clock.monotonic();
    const due = [...this.#sleepers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const { wake } of due) wake();
    await this.settle();
  }

  /**
   * Lets time pass, from one who waits to the next, until something is so.
   *
   * @throws {Error} When it is not so after `mostMs`.
   */
  async until(isSo: () => boolean | Promise<boolean>, mostMs = 120_000): Promise<void> {
    const endAt = this.clock.monotonic() + mostMs;
    const deadline = Date.now() + 20_000;
    for (;;) {
      await this.settle();
      if (await isSo()) return;
      const now = this.clock.monotonic();
      const nextAt = Math.min(...[...this.#sleepers].map(({ at }) => at));
      if (nextAt > endAt && Date.now() > deadline) {
        throw new Error(`It was not so within ${mostMs} ms of the fake clock`);
      }
      if (nextAt <= endAt) await this.advance(Math.max(0, nextAt - now));
      else await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Lets everything happen that needs no time: writes are synced, answers arrive. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS || this.isBusy(); turn++) {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
