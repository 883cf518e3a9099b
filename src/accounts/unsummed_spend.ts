/**
 * What one project or key has spent on this node that the hourly sums of all nodes may not have yet, by
 * hour: what is not written, and what is written and not added up. Never less than that.
 *
 * @module
 */

import type { AmountE8 } from "../domain/money.ts";
import type { SpendScope } from "../domain/spending.ts";
import type { UnsummedSpend } from "../storage/ports/budget_pools.ts";

/** Amounts by hours since the epoch. */
export type AmountsByHour = ReadonlyMap<number, AmountE8>;

/** Some hours: from the first to before the last. */
export interface HourRange {
  readonly fromHour: number;
  readonly beforeHour: number;
}

const NONE: AmountsByHour = new Map();

export class UnsummedHours {
  #all: Map<number, AmountE8> = new Map();
  readonly #unwritten: Map<number, AmountE8> = new Map();

  get isEmpty(): boolean {
    return this.#all.size === 0 && this.#unwritten.size === 0;
  }

  /** Counts a call that is about to be written. */
  add(amountE8: AmountE8, hour: number): void {
    change(this.#all, hour, amountE8);
    change(this.#unwritten, hour, amountE8);
  }

  /** What was added is written. */
  written(amountE8: AmountE8, hour: number): void {
    change(this.#unwritten, hour, -amountE8);
  }

  /** What was added cannot be written. */
  takeBack(amountE8: AmountE8, hour: number): void {
    change(this.#all, hour, -amountE8);
    change(this.#unwritten, hour, -amountE8);
  }

  /** As far as it was learned last, with what was added since. */
  within(range: HourRange): AmountE8 {
    return sumWithin(this.#all, range);
  }

  /** What it is, given what is written and not added up. */
  withStored(stored: AmountsByHour = NONE, range: HourRange): AmountE8 {
    return sumWithin(this.#unwritten, range) + sumWithin(stored, range);
  }

  /** Learns what is written and not added up. */
  learn(stored: AmountsByHour = NONE): void {
    this.#all = new Map(this.#unwritten);
    for (const [hour, amountE8] of stored) change(this.#all, hour, amountE8);
  }
}

function change(amounts: Map<number, AmountE8>, hour: number, byE8: AmountE8): void {
  const amountE8 = (amounts.get(hour) ?? 0n) + byE8;
  if (amountE8 === 0n) amounts.delete(hour);
  else amounts.set(hour, amountE8);
}

function sumWithin(amounts: AmountsByHour, { fromHour, beforeHour }: HourRange): AmountE8 {
  let sum = 0n;
  for (const [hour, amountE8] of amounts) {
    if (hour >= fromHour && hour < beforeHour) sum += amountE8;
  }
  return sum;
}

/** What is written and not added up, of projects and keys. */
export type StoredSpend = { readonly [scope in SpendScope]: ReadonlyMap<string, AmountsByHour> };

/** Adds up rows for each project and key. */
export function bySubject(rows: readonly UnsummedSpend[]): StoredSpend {
  const stored = {
    project: new Map<string, Map<number, AmountE8>>(),
    key: new Map<string, Map<number, AmountE8>>(),
  };
  for (const { hour, projectId, keyId, spentE8 } of rows) {
    for (const [scope, id] of [["project", projectId], ["key", keyId]] as const) {
      let amounts = stored[scope].get(id);
      if (amounts === undefined) stored[scope].set(id, amounts = new Map());
      change(amounts, hour, spentE8);
    }
  }
  return stored;
}
