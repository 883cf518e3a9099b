/**
 * INSERTs and UPDATEs of calls that bind no more than they have to: what nearly every row has alike
 * stands in the statement, and what its hold has written already stays. A value that is bound costs a
 * step into SQLite, of which a plain call would take 36.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import { furtherText } from "../rows/call_further.ts";
import { CALL_COLUMNS, HOLD_COLUMNS } from "../rows/call_row.ts";
import type { ColumnValue } from "../rows/row_checksum.ts";

/** The values of some columns, for SQL. Integers of 0 are bound as number or as bigint. */
type Constants = { readonly [column in typeof CALL_COLUMNS[number]]?: string | 0 | null };

/** Every column of a row's values. */
const COLUMNS = [...CALL_COLUMNS, "checksum"] as const;

/** What few calls have. */
const NOTHING_RARE: Constants = {
  images: 0,
  error_code: null,
  video_size: null,
  video_seconds: null,
  video_percent: null,
  further: null,
};

/** How most calls end: of tokens that the provider has told, and without a loss. */
const USUAL_END: Constants = {
  state: "settled",
  result: "completed",
  cache_write_tokens: 0,
  usage_source: "reported",
  loss_e8: 0,
  ...NOTHING_RARE,
};

/** Rows with certain values in some of their columns. Every call is looked at: so two lists, not one of pairs. */
class CallPattern {
  readonly #columns: readonly number[];
  readonly #values: readonly (string | 0 | null)[];

  constructor(constants: Constants) {
    this.#columns = Object.keys(constants).map(indexOf);
    this.#values = Object.values(constants);
  }

  /** Whether a row's values, checksum last, are such. */
  fits(values: readonly ColumnValue[]): boolean {
    for (let at = 0; at < this.#columns.length; at++) {
      const value = values[this.#columns[at]!]!;
      const constant = this.#values[at]!;
      if (value !== constant && (constant !== 0 || value !== 0n)) return false;
    }
    return true;
  }
}

/** Inserts a row with certain values in some of its columns. */
export class CallInsert extends CallPattern {
  /** Takes what {@linkcode bound} gives, and the session. Changes nothing if there is such a call. */
  readonly sql: string;
  readonly #bound: readonly number[];

  constructor(constants: Constants) {
    super(constants);
    this.#bound = COLUMNS.flatMap((column, index) => column in constants ? [] : [index]);
    const values = COLUMNS.map((column) =>
      column in constants ? constantSql(constants[column as keyof Constants]!) : "?"
    );
    this.sql = `INSERT INTO calls (${COLUMNS.join(", ")}, session_id)
      VALUES (${values.join(", ")}, ?) ON CONFLICT (call_id) DO NOTHING`;
  }

  /** Those of a row's values that the statement takes. */
  bound(values: readonly ColumnValue[]): ColumnValue[] {
    return pick(values, this.#bound);
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

/** A call as most end, whose hold was not written before. */
export const USUAL_CALL: CallInsert = new CallInsert({ unlimited: 0, ...USUAL_END });

/** Any call. */
export const ANY_CALL: CallInsert = new CallInsert({});

/** Columns that the row of a call has from its hold on, or as its end leaves them. */
const STAY: ReadonlySet<string> = new Set([
  ...HOLD_COLUMNS,
  ...Object.keys(USUAL_END).filter((column) => USUAL_END[column as keyof Constants] === 0),
  ...Object.keys(NOTHING_RARE),
]);

/** Closes the row of an open call as most end: of 36 values it takes 13, none of them a text. */
class UsualClose extends CallPattern {
  /** Takes what {@linkcode bound} gives. Changes nothing unless the same hold is open. */
  readonly sql: string;
  readonly #bound: readonly number[];

  constructor() {
    super(USUAL_END);
    const set = COLUMNS.filter((column) => !STAY.has(column));
    const isConstant = (column: string) => column in USUAL_END;
    this.#bound = [...set.filter((column) => !isConstant(column)), "call_id", "held_e8"]
      .map(indexOf);
    const assignments = set.map((column) =>
      `${column} = ${isConstant(column) ? constantSql(USUAL_END[column as keyof Constants]!) : "?"}`
    );
    this.sql = `UPDATE calls SET ${assignments.join(", ")}
      WHERE call_id = ? AND held_e8 = ? AND state = 'open'`;
  }

  /**
   * Whether the call can be closed so.
   *
   * @param open The call as its row has it.
   * @param values Of the call's row when it is closed.
   */
  fitsCall(
    open: OpenCall,
    { call, values }: { readonly call: ClosedCall; readonly values: readonly ColumnValue[] },
  ): boolean {
    return this.fits(values) && isSameHold(open, call) && open.video === undefined &&
      furtherText(undefined, open) === null;
  }

  /** Those of a row's values that the statement takes. */
  bound(values: readonly ColumnValue[]): ColumnValue[] {
    return pick(values, this.#bound);
  }
}

/** See {@linkcode UsualClose}. */
export const USUAL_CLOSE: UsualClose = new UsualClose();

/** Whether nothing that a hold has written is another thing at the call's end. */
function isSameHold(open: OpenCall, call: OpenCall): boolean {
  return open.requestId === call.requestId && open.projectId === call.projectId &&
    open.keyId === call.keyId && open.capability === call.capability &&
    open.model === call.model && open.provider === call.provider && open.route === call.route &&
    open.priceVersion === call.priceVersion && open.heldE8 === call.heldE8 &&
    open.unlimited === call.unlimited && open.stream === call.stream &&
    open.openedAt === call.openedAt;
}

function indexOf(column: string): number {
  return COLUMNS.indexOf(column as typeof COLUMNS[number]);
}

function pick(values: readonly ColumnValue[], indexes: readonly number[]): ColumnValue[] {
  const picked: ColumnValue[] = [];
  for (let at = 0; at < indexes.length; at++) picked.push(values[indexes[at]!]!);
  return picked;
}

function constantSql(value: string | 0 | null): string {
  return value === null ? "NULL" : value === 0 ? "0" : `'${value}'`;
}
