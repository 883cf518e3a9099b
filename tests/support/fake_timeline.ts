/**
 * Waiting by a fake clock: nothing passes but what a test lets pass.
 *
 * @module
 */

import { FakeClock } from "./fake_clock.ts";

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

  /** Lets time pass and wakes everybody whose time has come. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    const now = this.clock.monotonic();
    const due = [...this.#sleepers].filter(({ at }) => at <= now).sort((a, b) => a.at - b.at);
    for (const { wake } of due) wake();
    await settle();
  }

  /**
   * Lets time pass in steps of half a second until something is so.
   *
   * @throws {Error} When it is not so after `mostMs`.
   */
  async until(isSo: () => boolean | Promise<boolean>, mostMs = 120_000): Promise<void> {
    for (let passed = 0; passed <= mostMs; passed += 500) {
      await settle();
      if (await isSo()) return;
      await this.advance(500);
    }
    throw new Error(`It was not so within ${mostMs} ms of the fake clock`);
  }
}

/** Lets everything happen that needs no time: writes are synced, answers arrive. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 6; turn++) await new Promise((resolve) => setTimeout(resolve, 1));
}
