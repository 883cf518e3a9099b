/**
 * What a check of the ledger finds.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { shownCount } from "./fields.ts";

/** One thing that does not add up. Values are as stored: amounts in units of 1e-8. */
const shownDifference = z.object({
  table: z.enum([
    "ledger",
    "calls",
    "price_versions",
    "projects",
    "audit",
    "checkpoints",
    "ledger_seals",
    "usage_hourly",
    "detail_hourly",
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

export type Difference = Shown<typeof shownDifference>;

/** What does not add up, as far as one can read it. */
export const differenceFields = {
  differences: z.array(shownDifference).describe("Empty when everything adds up"),
  omitted: shownCount.describe("Further differences that are not listed"),
};

/** What a check of the ledger found. */
export const ledgerFindings = z.object({
  ...differenceFields,
  checked: z.object({
    projects: shownCount,
    ledger_rows: shownCount,
    calls: shownCount,
    open_calls: shownCount,
    price_versions: shownCount,
    audit_rows: shownCount,
    sums: shownCount.describe(
      "Sums of usage and spending: by hour, and of what is archived by day and project",
    ),
    archives: shownCount.describe(
      "Archives that the ledger goes on from: their rows are not read",
    ),
    seals: shownCount.describe(
      "Seals of which the database itself says that their rows are as they were",
    ),
    memory: z.boolean().describe(
      "Whether the balances in the running gateway's memory were compared too",
    ),
  }),
});

export type LedgerFindings = Shown<typeof ledgerFindings>;

/** Where a difference is, and what is wrong there. */
export interface DifferenceFacts {
  /** Default: nobody can tell which. */
  readonly column?: string | null;
  readonly expected?: string | number | bigint | null;
  readonly found?: string | number | bigint | null;
}

/** A difference, its values in words. */
export function differenceOf(
  [table, id]: readonly [table: Difference["table"], id: string | number],
  detail: string,
  { column = null, expected = null, found = null }: DifferenceFacts = {},
): Difference {
  const words = (value: string | number | bigint | null) => value === null ? null : String(value);
  return {
    table,
    id: String(id),
    column,
    expected: words(expected),
    found: words(found),
    detail,
  };
}

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

  /** Notes one, as {@linkcode differenceOf} makes it. */
  note(...facts: Parameters<typeof differenceOf>): void {
    this.add(differenceOf(...facts));
  }

  /** Forgets what was noted after so many. */
  forgetSince(count: number): void {
    for (const { table, id, column } of this.#list.splice(count)) {
      this.#seen.delete(`${table} ${id} ${column}`);
    }
    this.#omitted = Math.max(0, count - this.#list.length);
  }

  get list(): readonly Difference[] {
    return this.#list;
  }

  /** Of all that were noted. */
  get count(): number {
    return this.#list.length + this.#omitted;
  }

  get omitted(): number {
    return this.#omitted;
  }
}
