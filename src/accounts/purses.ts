/**
 * The balances in memory.
 *
 * @module
 */

import type { Balance } from "../domain/account.ts";
import type { AmountE8 } from "../domain/money.ts";

/** A project's balance, for whoever owns it to change. */
export interface Purse {
  avail: AmountE8;
  held: AmountE8;
}

/** The purse of every project; one that nobody has credited is empty. */
export class Purses {
  readonly #purses = new Map<string, Purse>();

  constructor(balances: readonly Balance[]) {
    for (const { projectId, avail, held } of balances) this.#purses.set(projectId, { avail, held });
  }

  /** The project's purse, made where there is none. */
  of(projectId: string): Purse {
    let purse = this.#purses.get(projectId);
    if (purse === undefined) {
      purse = { avail: 0n, held: 0n };
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
