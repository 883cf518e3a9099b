/**
 * Statements of a connection, and what several of them read at one moment.
 *
 * @module
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

type Statements<Name extends string> = { readonly [name in Name]: StatementSync };

/** Prepares statements by name. */
export function prepareAll<Name extends string>(
  database: DatabaseSync,
  texts: { readonly [name in Name]: string },
): Statements<Name> {
  const statements = {} as Record<Name, StatementSync>;
  for (const name in texts) statements[name] = database.prepare(texts[name]);
  return statements;
}

/** Likewise those whose integers are read as BigInts. */
export function prepareBigInts<Name extends string>(
  database: DatabaseSync,
  texts: { readonly [name in Name]: string },
): Statements<Name> {
  const statements = prepareAll(database, texts);
  for (const name in statements) statements[name].setReadBigInts(true);
  return statements;
}

/** Has rows come as lists of values. Both runtimes can do it, their types do not say so yet. */
export function asLists(statement: StatementSync): StatementSync {
  (statement as StatementSync & { setReturnArrays(enabled: boolean): void }).setReturnArrays(true);
  return statement;
}

/**
 * Runs statements that change rows and give none. The runtime's `run` says of each what has changed,
 * which takes it longer than the statement; `get` does not, and SQLite can be asked in a tenth of that.
 */
export class Changes {
  readonly #count: StatementSync;

  constructor(database: DatabaseSync) {
    this.#count = asLists(database.prepare("SELECT changes()"));
  }

  /** Runs a statement; gives how many rows it has changed. */
  of(statement: StatementSync, values: readonly SQLInputValue[]): number {
    change(statement, values);
    const [count] = this.#count.get() as unknown as readonly [number];
    return count;
  }
}

/** Runs a statement that changes rows and gives none, whatever it has changed: see {@linkcode Changes}. */
export function change(statement: StatementSync, values: readonly SQLInputValue[]): void {
  statement.get(...values);
}

/** A statement alone is a transaction, too: what two of them read may be of two moments. */
export function inOneTransaction<Result>(database: DatabaseSync, read: () => Result): Result {
  if (database.isTransaction) return read();
  database.exec("BEGIN");
  try {
    return read();
  } finally {
    database.exec("COMMIT");
  }
}
