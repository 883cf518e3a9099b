/**
 * Counts of limits in memory that threads share. Each of them counts by itself, without waiting for
 * another, and all of them together let in no more than a limit says: whoever adds learns by the same
 * step what there was before.
 *
 * @module
 */

import { type Places, type Window, WINDOW_SECONDS } from "./window.ts";

type Cells = BigInt64Array<SharedArrayBuffer>;

/** More than a window's, so that no second meets another that counts. */
const BUCKETS = 64;
/** A bucket's second is in the bits above those of its amount. */
const AMOUNT_BITS = 36n;
const AMOUNT_MASK = (1n << AMOUNT_BITS) - 1n;
/** Seconds may lie before the clock's start: by less than this. */
const SECONDS_BEFORE = 1 << 20;

enum Cell {
  Sum,
  /** The last second in which what had left the window was taken out of the sum. */
  Swept,
  Buckets,
  WindowEnd = Buckets + BUCKETS,
}

/** A window that all threads count in. */
export class SharedWindow implements Window {
  readonly #cells: Cells;

  constructor(cells: Cells) {
    this.#cells = cells;
  }

  add(second: number, amount: number): void {
    if (second <= this.#swept - WINDOW_SECONDS) return;
    if (this.#put(second, amount)) Atomics.add(this.#cells, Cell.Sum, BigInt(amount));
  }

  sum(second: number): number {
    if (second > this.#swept) this.#sweep(second);
    return Number(Atomics.load(this.#cells, Cell.Sum));
  }

  hasRoom(second: number, amount: number, most: number): boolean {
    return this.sum(second) + amount <= most;
  }

  take(second: number, amount: number, most: number): boolean {
    if (!this.hasRoom(second, amount, most)) return false;
    const more = BigInt(amount);
    if (Number(Atomics.add(this.#cells, Cell.Sum, more)) + amount <= most) {
      if (this.#put(second, amount)) return true;
      // It took so long that the second has left the window.
      Atomics.sub(this.#cells, Cell.Sum, more);
      return true;
    }
    Atomics.sub(this.#cells, Cell.Sum, more);
    return false;
  }

  secondWithAtMost(most: number, second: number): number {
    let left = this.sum(second);
    for (let oldest = second - WINDOW_SECONDS + 1; left > most && oldest <= second; oldest++) {
      left -= this.#amountOf(oldest);
      if (left <= most) return oldest + WINDOW_SECONDS;
    }
    return second;
  }

  *seconds(): Iterable<readonly [second: number, amount: number]> {
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      const value = Atomics.load(this.#cells, Cell.Buckets + bucket);
      const amount = Number(value & AMOUNT_MASK);
      if (amount !== 0) yield [secondOf(value), amount];
    }
  }

  get #swept(): number {
    return Number(Atomics.load(this.#cells, Cell.Swept));
  }

  #amountOf(second: number): number {
    const value = Atomics.load(this.#cells, placeOf(second));
    return secondOf(value) === second ? Number(value & AMOUNT_MASK) : 0;
  }

  /** Changes a second's bucket, but not the sum; says whether it is one that counts. */
  #put(second: number, amount: number): boolean {
    const place = placeOf(second);
    const change = BigInt(amount);
    for (let value = Atomics.load(this.#cells, place);;) {
      const held = secondOf(value);
      if (held > second || (held < second && amount <= 0)) return false;
      // It was taken out of the sum with all that is to be taken away.
      if (held === second && (value & AMOUNT_MASK) + change < 0n) return false;
      const next = held === second
        ? value + change
        : (BigInt(second + SECONDS_BEFORE) << AMOUNT_BITS) + change;
      const found = Atomics.compareExchange(this.#cells, place, value, next);
      if (found === value) {
        if (held < second) Atomics.sub(this.#cells, Cell.Sum, value & AMOUNT_MASK);
        return true;
      }
      value = found;
    }
  }

  /** Takes out of the sum what has left the window: whoever comes first, for all. */
  #sweep(second: number): void {
    const before = Atomics.load(this.#cells, Cell.Swept);
    const now = BigInt(second);
    if (before >= now) return;
    if (Atomics.compareExchange(this.#cells, Cell.Swept, before, now) !== before) return;
    for (let place: number = Cell.Buckets; place < Cell.WindowEnd; place++) {
      const value = Atomics.load(this.#cells, place);
      const amount = value & AMOUNT_MASK;
      if (amount === 0n || secondOf(value) > second - WINDOW_SECONDS) continue;
      if (Atomics.compareExchange(this.#cells, place, value, value - amount) === value) {
        Atomics.sub(this.#cells, Cell.Sum, amount);
      }
    }
  }
}

function secondOf(value: bigint): number {
  return Number(value >> AMOUNT_BITS) - SECONDS_BEFORE;
}

function placeOf(second: number): number {
  return Cell.Buckets + ((second % BUCKETS) + BUCKETS) % BUCKETS;
}

/** Places that all threads take from; each knows which are its own. */
class SharedPlaces implements Places {
  readonly #cells: Cells;
  readonly #own: number;

  /** @param own The index of the thread's own. */
  constructor(cells: Cells, own: number) {
    this.#cells = cells;
    this.#own = own;
  }

  get taken(): number {
    return Number(Atomics.load(this.#cells, 0));
  }

  take(most: number): boolean {
    if (Number(Atomics.add(this.#cells, 0, 1n)) >= most) {
      Atomics.sub(this.#cells, 0, 1n);
      return false;
    }
    Atomics.add(this.#cells, this.#own, 1n);
    return true;
  }

  leave(): void {
    Atomics.sub(this.#cells, this.#own, 1n);
    Atomics.sub(this.#cells, 0, 1n);
  }
}

/** What a gauge counts with that threads share. */
export interface GaugeCells {
  readonly requests: Window;
  readonly tokens: Window;
  readonly places: Places;
}

/** Memory for so many gauges, as one party of those who share it has it. */
export class GaugeMemory {
  readonly #buffer: SharedArrayBuffer;
  readonly #parties: number;
  readonly #party: number;

  /** @param party Of the threads, from 0. */
  constructor(buffer: SharedArrayBuffer, parties: number, party: number) {
    this.#buffer = buffer;
    this.#parties = parties;
    this.#party = party;
  }

  /** A buffer with room for some gauges. */
  static buffer(gauges: number, parties: number): SharedArrayBuffer {
    return new SharedArrayBuffer(gauges * wordsOf(parties) * 8);
  }

  /** How many there is room for. */
  get size(): number {
    return this.#buffer.byteLength / 8 / wordsOf(this.#parties);
  }

  /** The cells of one. */
  cells(slot: number): GaugeCells {
    const requests = this.#part(slot, 0, Cell.WindowEnd);
    const tokens = this.#part(slot, Cell.WindowEnd, Cell.WindowEnd);
    return {
      requests: new SharedWindow(requests),
      tokens: new SharedWindow(tokens),
      places: new SharedPlaces(this.#places(slot), 1 + this.#party),
    };
  }

  /** Leaves the places that another party has taken, as it is no more. */
  leaveAllOf(party: number, slots: number): void {
    for (let slot = 0; slot < slots; slot++) {
      const places = this.#places(slot);
      const taken = Atomics.exchange(places, 1 + party, 0n);
      if (taken !== 0n) Atomics.sub(places, 0, taken);
    }
  }

  #places(slot: number): Cells {
    return this.#part(slot, 2 * Cell.WindowEnd, 1 + this.#parties);
  }

  #part(slot: number, from: number, length: number): Cells {
    const start = slot * wordsOf(this.#parties) + from;
    return new BigInt64Array(this.#buffer, start * 8, length);
  }
}

function wordsOf(parties: number): number {
  return 2 * Cell.WindowEnd + 1 + parties;
}
