/**
 * Rows by their columns: how each property of a thing is stored is said once. What statements name,
 * what is bound to them and what is read back follow from that.
 *
 * @module
 */

import type { ColumnValue } from "./row_checksum.ts";

type StoredRow = Readonly<Record<string, ColumnValue>>;

/** A property in its column or columns. */
interface Column<Value> {
  readonly names: readonly string[];
  bind(value: Value, into: ColumnValue[]): void;
  read(row: StoredRow): Value;
}

/** How a property is stored, whose name in snake case is given. */
export type Stored<Value> = (property: string) => Column<Value>;

type Properties<Thing> = { readonly [property in keyof Thing]-?: Stored<Thing[property]> };

/** The columns of a thing's row, in the order of its properties. */
export class RowOf<Thing extends object> {
  readonly columns: readonly string[];
  /** For an INSERT or a SELECT. */
  readonly names: string;
  /** For an UPDATE of every column but the first, which takes the values as numbered. */
  readonly assignments: string;
  /** For an INSERT that replaces a row of the same key. */
  readonly replacements: string;
  readonly #properties: readonly (readonly [name: keyof Thing, column: Column<unknown>])[];
  readonly #empty: { [name in keyof Thing]?: unknown } = {};

  constructor(properties: Properties<Thing>, prefix = "") {
    this.#properties = Object.entries(properties).map(([name, stored]) =>
      [name as keyof Thing, (stored as Stored<unknown>)(prefix + snakeCase(name))] as const
    );
    for (const [name] of this.#properties) this.#empty[name] = undefined;
    this.columns = this.#properties.flatMap(([, { names }]) => names);
    this.names = this.columns.join(", ");
    this.assignments = this.columns.map((name, index) => `${name} = ?${index + 1}`).slice(1)
      .join(", ");
    this.replacements = this.columns.map((name) => `${name} = excluded.${name}`).join(", ");
  }

  /** An INSERT that takes the values, and behind them those of more columns. */
  insertInto(table: string, ...more: readonly string[]): string {
    return insertSql(table, [...this.columns, ...more]);
  }

  values(thing: Thing): ColumnValue[] {
    const values: ColumnValue[] = [];
    for (const [name, column] of this.#properties) column.bind(thing[name], values);
    return values;
  }

  /** The thing that a row stores, with every property, `undefined` ones too. */
  read(row: unknown): Thing {
    // A copy of one that has every property: sooner made than by adding them one by one.
    const thing = { ...this.#empty };
    for (const [name, column] of this.#properties) thing[name] = column.read(row as StoredRow);
    return thing as Thing;
  }

  /** Likewise of a row that may not be there. */
  readIfAny(row: unknown): Thing | undefined {
    return row === undefined ? undefined : this.read(row);
  }
}

/** An INSERT of all these columns, which takes the values of one row after the other. */
export function insertSql(table: string, columns: readonly string[], rows = 1): string {
  const places = `(${columns.map(() => "?").join(", ")})`;
  const all = Array<string>(rows).fill(places).join(", ");
  return `INSERT INTO ${table} (${columns.join(", ")}) VALUES ${all}`;
}

/** A value in a column of its own. */
export function single<Value>(
  write: (value: Value) => ColumnValue,
  read: (stored: ColumnValue) => Value,
): Stored<Value> {
  return (name) => ({
    names: [name],
    bind: (value, into) => void into.push(write(value)),
    read: (row) => read(row[name]!),
  });
}

/** The program's own words. */
export function text<Text extends string>(): Stored<Text> {
  return single((value) => value, (stored) => stored as Text);
}

/** What others have written. */
export function freeText(): Stored<string> {
  return single(storableText, String);
}

export function integer(): Stored<number> {
  return single((value) => value, Number);
}

export function flag(): Stored<boolean> {
  return single((value) => value ? 1 : 0, (stored) => Number(stored) === 1);
}

const EMPTY = Object.freeze({});

/** What JSON can say. Those that say nothing share one object. */
export function json<Value>(): Stored<Value> {
  return single(
    (value) => JSON.stringify(value),
    (stored) => stored === "{}" ? EMPTY : JSON.parse(stored as string),
  );
}

/** NULL where there is none. */
export function orNone<Value>(stored: Stored<Value>): Stored<Value | undefined> {
  return (name) => {
    const column = stored(name);
    return {
      names: column.names,
      bind(value, into) {
        if (value === undefined) into.push(...column.names.map(() => null));
        else column.bind(value, into);
      },
      read: (row) => row[column.names[0]!] === null ? undefined : column.read(row),
    };
  };
}

/** A thing in columns whose names begin with its own. */
export function group<Thing extends object>(properties: Properties<Thing>): Stored<Thing> {
  return (name) => {
    const inner = new RowOf<Thing>(properties, `${name}_`);
    return {
      names: inner.columns,
      bind: (thing, into) => void into.push(...inner.values(thing)),
      read: (row) => inner.read(row),
    };
  };
}

/** Under another name than the property's. */
export function named<Value>(name: string, stored: Stored<Value>): Stored<Value> {
  return () => stored(name);
}

function snakeCase(property: string): string {
  return property.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Free text as a column can hold it and is read back from there, as the row's checksum needs it: with
 * U+FFFD for U+0000, up to which alone it would be read back, and for halves of surrogate pairs, which
 * UTF-8 does not have.
 */
export function storableText(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\ufffd") : whole;
}
