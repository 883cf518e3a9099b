/**
 * INSERTs of calls that bind no more than they have to: what nearly every row has alike stands in the
 * statement. A value that is bound costs a step into SQLite, of which a plain call would take 36.
 *
 * @module
 */

import { CALL_COLUMNS } from "../rows/call_row.ts";
import type { ColumnValue } from "../rows/row_checksum.ts";

/** The values of some columns, for SQL. Integers of 0 are bound as number or as bigint. */
type Constants = { readonly [column in typeof CALL_COLUMNS[number]]?: "open" | 0 | null };

/** What few calls have. */
const NOTHING_RARE: Constants = {
  images: 0,
  error_code: null,
  video_size: null,
  video_seconds: null,
  video_percent: null,
  further: null,
};

/** A row with certain values in some of its columns. */
export class CallInsert {
  /** Takes what {@linkcode bound} gives, and the session. */
  readonly sql: string;
  readonly #constants: readonly (readonly [index: number, value: "open" | 0 | null])[];
  readonly #bound: readonly number[];

  constructor(constants: Constants) {
    const columns = [...CALL_COLUMNS, "checksum"] as const;
    const isBound = (column: string) => !(column in constants);
    this.#constants = columns.flatMap((column, index) =>
      isBound(column) ? [] : [[index, constants[column as keyof Constants]!] as const]
    );
    this.#bound = columns.flatMap((column, index) => isBound(column) ? [index] : []);
    const values = columns.map((column) =>
      isBound(column) ? "?" : constantSql(constants[column as keyof Constants]!)
    );
    this.sql = `INSERT INTO calls (${columns.join(", ")}, session_id)
      VALUES (${values.join(", ")}, ?) ON CONFLICT (call_id) DO NOTHING`;
  }

  /** Whether a row's values, checksum last, are what the statement says. */
  fits(values: readonly ColumnValue[]): boolean {
    for (const [index, constant] of this.#constants) {
      const value = values[index]!;
      if (value !== constant && (constant !== 0 || value !== 0n)) return false;
    }
    return true;
  }

  /** Those of a row's values that the statement takes. */
  bound(values: readonly ColumnValue[]): ColumnValue[] {
    const bound: ColumnValue[] = [];
    for (const index of this.#bound) bound.push(values[index]!);
    return bound;
  }
}

/** A call that was just opened. */
export const OPENED_CALL: CallInsert = new CallInsert({
  state: "open",
  result: null,
  closed_at: null,
  first_byte_ms: null,
  attempts: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  cache_write_tokens: 0,
  reasoning_tokens: 0,
  usage_source: null,
  cost_e8: 0,
  sale_e8: 0,
  charged_e8: 0,
  loss_e8: 0,
  ...NOTHING_RARE,
});

/** A call as most end: of tokens and paid for. */
export const USUAL_CALL: CallInsert = new CallInsert({
  unlimited: 0,
  cache_write_tokens: 0,
  loss_e8: 0,
  ...NOTHING_RARE,
});

/** Any call. */
export const ANY_CALL: CallInsert = new CallInsert({});

function constantSql(value: "open" | 0 | null): string {
  return value === "open" ? "'open'" : value === 0 ? "0" : "NULL";
}
