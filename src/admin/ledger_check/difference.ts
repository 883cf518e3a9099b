/**
 * What a check of the ledger finds.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";

/** One thing that does not add up. Values are as stored: amounts in units of 1e-8. */
export const shownDifference = z.object({
  table: z.enum([
    "ledger",
    "calls",
    "price_versions",
    "projects",
    "audit",
    "checkpoints",
    "usage_hourly",
    "usage_daily",
    "spend_hourly",
  ]),
  id: z.string().describe("The row's key"),
  column: z.string().nullable().describe(
    "null when the row is wrong and arithmetic cannot tell which column",
  ),
  expected: z.string().nullable(),
  found: z.string().nullable(),
  detail: z.string().describe("What this means, in a few words"),
});

/** The value of {@linkcode shownDifference}. */
export type Difference = Shown<typeof shownDifference>;

/** Collects differences: each once, and no more than one can read. */
export class Differences {
  readonly #most: number;
  readonly #list: Difference[] = [];
  readonly #seen = new Set<string>();
  #omitted = 0;

  /** @param most How many are kept; the others are only counted. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Notes a difference, unless the same column of the same row has one already. */
  add(difference: Difference): void {
    const { table, id, column } = difference;
    const key = `${table} ${id} ${column}`;
    if (this.#list.length >= this.#most) {
      this.#omitted++;
    } else if (!this.#seen.has(key)) {
      this.#seen.add(key);
      this.#list.push(difference);
    }
  }

  get list(): readonly Difference[] {
    return this.#list;
  }

  get omitted(): number {
    return this.#omitted;
  }
}
