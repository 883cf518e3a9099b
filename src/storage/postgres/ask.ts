/**
 * Asking a database, whichever connection it is that asks.
 *
 * @module
 */

import type { CustomTypesConfig } from "./pg.d.ts";
import { numbered } from "./sql.ts";

/** A value that a statement takes. */
export type AskedValue = string | number | bigint | null | readonly (string | number)[];

/** A row by the names of its columns. */
export type AskedRow = Readonly<Record<string, unknown>>;

/** What came of a statement. */
export interface Answer {
  readonly rows: readonly AskedRow[];
  /** Rows that were found or changed. */
  readonly count: number;
}

/** One with its values, as {@linkcode numbered} reads it. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly AskedValue[];
}

/** Runs one statement. */
export type RunStatement = (
  text: string,
  values: readonly AskedValue[],
  types: CustomTypesConfig,
) => Promise<Answer>;

const INT8 = 20;
const INT2 = 21;
const INT4 = 23;
const FLOAT8 = 701;
const NUMERIC = 1700;

/** Integers as numbers. */
const NARROW = typesWith(Number);
/** Integers as BigInts. */
const WIDE = typesWith(BigInt);

/** Statements for stores, with parameters as {@linkcode numbered} reads them. */
export class Ask {
  readonly #run: RunStatement;

  constructor(run: RunStatement) {
    this.#run = run;
  }

  /** All rows; integers come as numbers. */
  async all(sql: string, ...values: readonly AskedValue[]): Promise<AskedRow[]> {
    return [...(await this.#run(numbered(sql), values, NARROW)).rows];
  }

  /** Likewise with integers as BigInts: exact, however large a sum they are. */
  async allWide(sql: string, ...values: readonly AskedValue[]): Promise<AskedRow[]> {
    return [...(await this.#run(numbered(sql), values, WIDE)).rows];
  }

  /** The first row. */
  async get(sql: string, ...values: readonly AskedValue[]): Promise<AskedRow | undefined> {
    return (await this.all(sql, ...values))[0];
  }

  /** Likewise with integers as BigInts. */
  async getWide(sql: string, ...values: readonly AskedValue[]): Promise<AskedRow | undefined> {
    return (await this.allWide(sql, ...values))[0];
  }

  /** How many rows were changed. */
  async run(sql: string, ...values: readonly AskedValue[]): Promise<number> {
    return (await this.#run(numbered(sql), values, NARROW)).count;
  }
}

function typesWith(integer: (digits: string) => unknown): CustomTypesConfig {
  const parsers: Readonly<Record<number, (text: string) => unknown>> = {
    [INT8]: integer,
    [INT2]: integer,
    [INT4]: integer,
    [NUMERIC]: integer,
    [FLOAT8]: Number,
  };
  const asText = (text: string) => text;
  // Booleans are not selected: the stores ask for 0 or 1.
  return { getTypeParser: (type: number) => parsers[type] ?? asText };
}
