/**
 * A count over the last 60 seconds.
 *
 * @module
 */

import { type Places, type Window, WINDOW_SECONDS } from "./window.ts";

/** Sixty one-second buckets and their sum. A step costs O(1) amortised. */
export class SlidingWindow implements Window {
  readonly #buckets = new Float64Array(WINDOW_SECONDS);
  #newest: number;
  #sum = 0;
  /**
   * The sum is no more than this. Selection asks every route of a model for
   * room, and far from a limit the answer needs no look into the buckets.
   */
  #atMost = 0;

  constructor(second: number) {
    this.#newest = second;
  }

  add(second: number, amount: number): void {
    // What is taken away may have left its window already, and then lowers nothing.
    if (amount > 0) this.#atMost += amount;
    if (second > this.#newest) this.#advance(second);
    if (second <= this.#newest - WINDOW_SECONDS) return;
    this.#buckets[index(second)]! += amount;
    this.#sum += amount;
  }

  sum(second: number): number {
    if (second > this.#newest) this.#advance(second);
    return this.#sum;
  }

  hasRoom(second: number, amount: number, most: number): boolean {
    if (this.#atMost + amount <= most) return true;
    this.#atMost = this.sum(second);
    return this.#atMost + amount <= most;
  }

  take(second: number, amount: number, most: number): boolean {
    if (!this.hasRoom(second, amount, most)) return false;
    this.add(second, amount);
    return true;
  }

  secondWithAtMost(most: number, second: number): number {
    let left = this.sum(second);
    for (let oldest = this.#newest - WINDOW_SECONDS + 1; left > most; oldest++) {
      if (oldest > this.#newest) break;
      left -= this.#buckets[index(oldest)]!;
      if (left <= most) return oldest + WINDOW_SECONDS;
    }
    return second;
  }

  *seconds(): Iterable<readonly [second: number, amount: number]> {
    for (let second = this.#newest - WINDOW_SECONDS + 1; second <= this.#newest; second++) {
      const amount = this.#buckets[index(second)]!;
      if (amount !== 0) yield [second, amount];
    }
  }

  #advance(second: number): void {
    const passed = Math.min(second - this.#newest, WINDOW_SECONDS);
    for (let step = 0; step < passed; step++) {
      const place = index(second - step);
      this.#sum -= this.#buckets[place]!;
      this.#buckets[place] = 0;
    }
    this.#newest = second;
  }
}

/** The bucket of a second; restored seconds may lie before the clock's start. */
function index(second: number): number {
  return ((second % WINDOW_SECONDS) + WINDOW_SECONDS) % WINDOW_SECONDS;
}

/** Places that this thread alone counts. */
export class OwnPlaces implements Places {
  taken = 0;

  take(most: number): boolean {
    if (this.taken >= most) return false;
    this.taken++;
    return true;
  }

  leave(): void {
    this.taken--;
  }
}
