/**
 * How often signing in may fail: by address, and altogether, so that no key is found by trying.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";

const WINDOW_MS = 60_000;
const MOST_BY_ADDRESS = 10;
const MOST_ALTOGETHER = 100;

export class Attempts {
  readonly #clock: Pick<Clock, "monotonic">;
  #since = 0;
  #failed = 0;
  /** Failures of this minute, no more addresses than failures. */
  readonly #byAddress = new Map<string, number>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  /** For how many seconds whoever is at an address has to wait; 0 where it may try. */
  secondsToWait(address: string): number {
    const now = this.#clock.monotonic();
    if (now - this.#since >= WINDOW_MS) {
      this.#since = now;
      this.#failed = 0;
      this.#byAddress.clear();
    }
    const isMany = this.#failed >= MOST_ALTOGETHER ||
      (this.#byAddress.get(address) ?? 0) >= MOST_BY_ADDRESS;
    return isMany ? Math.ceil((this.#since + WINDOW_MS - now) / 1_000) : 0;
  }

  noteFailure(address: string): void {
    this.#failed++;
    this.#byAddress.set(address, (this.#byAddress.get(address) ?? 0) + 1);
  }
}
