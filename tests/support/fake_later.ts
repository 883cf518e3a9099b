/**
 * Being called back later, by a fake clock.
 *
 * @module
 */

import { FakeClock } from "./fake_clock.ts";

/** A clock and what it calls back. */
export class FakeLater {
  readonly clock = new FakeClock();
  readonly #waiting: Set<{ readonly atMs: number; readonly run: () => void }> = new Set();

  readonly later = (run: () => void, ms: number): () => void => {
    const one = { atMs: this.clock.monotonic() + ms, run };
    this.#waiting.add(one);
    return () => void this.#waiting.delete(one);
  };

  /** Lets time pass, then everything happen that needs none of it. */
  async advance(ms: number): Promise<void> {
    this.clock.advance(ms);
    for (let isQuiet = false; !isQuiet;) {
      isQuiet = true;
      for (const one of [...this.#waiting]) {
        if (one.atMs > this.clock.monotonic()) continue;
        this.#waiting.delete(one);
        one.run();
        isQuiet = false;
      }
      for (let turn = 0; turn < 12; turn++) await null;
    }
  }
}
