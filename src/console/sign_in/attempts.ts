/**
 * How often signing in may fail: by address, and altogether, so that no key is found by trying.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";

const WINDOW_MS = 60_000;
const MOST_BY_ADDRESS = 10;
/** Of all who have failed together; whoever has not is let try, however many others have. */
const MOST_ALTOGETHER = 1_000;
/** Addresses that are known at one time: of more, those that failed first are forgotten. */
const MOST_ADDRESSES = 10_000;

export class Attempts {
  readonly #clock: Pick<Clock, "monotonic">;
  #since = 0;
  #failed = 0;
  /** Failures of this minute, those that failed last come last. */
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
    const own = this.#byAddress.get(networkOf(address)) ?? 0;
    const isMany = own >= MOST_BY_ADDRESS || (own > 0 && this.#failed >= MOST_ALTOGETHER);
    return isMany ? Math.ceil((this.#since + WINDOW_MS - now) / 1_000) : 0;
  }

  /** Takes the last failure back: it was none. */
  forgive(address: string): void {
    const network = networkOf(address);
    const own = this.#byAddress.get(network) ?? 0;
    // The minute may have passed since.
    if (own === 0) return;
    this.#failed--;
    if (own === 1) this.#byAddress.delete(network);
    else this.#byAddress.set(network, own - 1);
  }

  noteFailure(address: string): void {
    this.#failed++;
    const network = networkOf(address);
    const own = (this.#byAddress.get(network) ?? 0) + 1;
    this.#byAddress.delete(network);
    this.#byAddress.set(network, own);
    if (this.#byAddress.size <= MOST_ADDRESSES) return;
    for (const first of this.#byAddress.keys()) {
      this.#byAddress.delete(first);
      break;
    }
  }
}

/** What one guest has: an address of IPv4, or the 64 bits of IPv6 that are a network's. */
function networkOf(address: string): string {
  if (!address.includes(":") || address.includes(".")) return address;
  const [before = "", behind] = address.split("::");
  const parts = (text: string) => text.split(":").filter((part) => part !== "");
  const [head, tail] = [parts(before), parts(behind ?? "")];
  const zeros = behind === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array<string>(zeros).fill("0"), ...tail].slice(0, 4)
    .map((part) => part.replace(/^0+(?=.)/, "").toLowerCase()).join(":");
}
