/**
 * The balances in memory. What a project can still spend may lie in memory that threads share, so
 * that each of them takes holds by itself: an amount is taken whole, by compare and exchange, or
 * not at all.
 *
 * @module
 */

import type { Balance } from "../domain/account.ts";
import type { AmountE8 } from "../domain/money.ts";

/** Cells of 64 bits that threads share. */
export type AmountCells = BigInt64Array<SharedArrayBuffer>;

/** A project's balance, for whoever owns it to change. */
export class Purse {
  /** Counted by the ledger alone. */
  held: AmountE8;
  #avail: AmountE8;
  #cells: AmountCells | undefined;
  #slot = 0;

  constructor(avail: AmountE8, held: AmountE8) {
    this.#avail = avail;
    this.held = held;
  }

  get avail(): AmountE8 {
    return this.#cells === undefined ? this.#avail : Atomics.load(this.#cells, this.#slot);
  }

  /** Takes an amount where there is as much; says whether. */
  take(amountE8: AmountE8): boolean {
    if (this.#cells !== undefined) return takeFrom(this.#cells, this.#slot, amountE8);
    if (this.#avail < amountE8) return false;
    this.#avail -= amountE8;
    return true;
  }

  /** Adds an amount; a negative one is taken whatever there is. */
  give(amountE8: AmountE8): void {
    if (this.#cells === undefined) this.#avail += amountE8;
    else Atomics.add(this.#cells, this.#slot, amountE8);
  }

  /** Keeps what can be spent in a cell from now on, where threads take from it too. */
  share(cells: AmountCells, slot: number): void {
    Atomics.store(cells, slot, this.avail);
    this.#cells = cells;
    this.#slot = slot;
  }
}

/** Takes an amount from a cell that has as much; says whether. Nobody else can take it too. */
export function takeFrom(cells: AmountCells, slot: number, amountE8: AmountE8): boolean {
  for (let avail = Atomics.load(cells, slot);;) {
    if (avail < amountE8) return false;
    const found = Atomics.compareExchange(cells, slot, avail, avail - amountE8);
    if (found === avail) return true;
    avail = found;
  }
}

/** The purse of every project; one that nobody has credited is empty. */
export class Purses {
  readonly #purses = new Map<string, Purse>();

  constructor(balances: readonly Balance[]) {
    for (const { projectId, avail, held } of balances) {
      this.#purses.set(projectId, new Purse(avail, held));
    }
  }

  /** The project's purse, made where there is none. */
  of(projectId: string): Purse {
    let purse = this.#purses.get(projectId);
    if (purse === undefined) {
      purse = new Purse(0n, 0n);
      this.#purses.set(projectId, purse);
    }
    return purse;
  }

  /** What is in a purse now. */
  balanceOf(projectId: string): Balance {
    const { avail = 0n, held = 0n } = this.#purses.get(projectId) ?? {};
    return { projectId, avail, held };
  }
}
