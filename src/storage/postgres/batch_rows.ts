/**
 * Rows about balances that a batch keeps in memory until it writes them.
 *
 * @module
 */

import type { AmountE8 } from "../../domain/money.ts";
import type { MovingBalance } from "../entries/call_steps.ts";

/** A balance, and the sum of a book's rows of its project. */
export interface Purse extends MovingBalance {
  booked: AmountE8;
}

/** What nobody has leased of a balance, and what is held for calls that are no node's. */
export interface Pool extends MovingBalance {
  /** Until when (milliseconds since the epoch, the server's clock) whoever can give back is asked to. */
  wantedUntil: number;
}

/** Rows of a table, as they are stored and as they become. */
export class Rows<Row extends object> {
  readonly #now: Map<string, Row> = new Map();
  readonly #stored: Map<string, Readonly<Row>> = new Map();

  put(id: string, row: Row): void {
    this.#now.set(id, row);
    this.#stored.set(id, { ...row });
  }

  has(id: string): boolean {
    return this.#now.has(id);
  }

  of(id: string): Row | undefined {
    return this.#now.get(id);
  }

  /** All of them, as they become. */
  all(): Iterable<readonly [string, Row]> {
    return this.#now;
  }

  /** Those that are to be written, which count as stored then. */
  takeChanged(): readonly (readonly [string, Row])[] {
    const changed = [...this.#now].filter(([id, row]) => {
      const stored = this.#stored.get(id)!;
      return (Object.keys(row) as (keyof Row)[]).some((name) => row[name] !== stored[name]);
    });
    for (const [id, row] of changed) this.#stored.set(id, { ...row });
    return changed;
  }
}
