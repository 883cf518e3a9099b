/**
 * Statements of a connection, and what several of them read at one moment.
 *
 * @module
 */

import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";

type Statements<Name extends string> = { readonly [name in Name]: StatementSync };

/** What has not been asked for of a connection's statements, until it is: to be prepared. */
const waiting = new WeakMap<DatabaseSync, Set<() => void>>();

/**
 * Statements by name, each prepared when it is first asked for: a start asks for a few of some
 * hundred, and waits for them.
 *
 * @throws {Error} not here but where a statement is asked for, if it is wrong. Whoever wants to know
 *   at once asks {@linkcode prepareWaiting}, as a test does.
 */
export function prepareAll<Name extends string>(
  database: DatabaseSync,
  texts: { readonly [name in Name]: string },
): Statements<Name> {
  return onDemand(database, texts, (text) => database.prepare(text));
}

/** Likewise those whose integers are read as BigInts. */
export function prepareBigInts<Name extends string>(
  database: DatabaseSync,
  texts: { readonly [name in Name]: string },
): Statements<Name> {
  return onDemand(database, texts, (text) => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  });
}

/**
 * Prepares what nobody has asked for yet of a connection's statements.
 *
 * @returns how many they were.
 * @throws {Error} with SQLite's words at the first that is wrong.
 */
export function prepareWaiting(database: DatabaseSync): number {
  const left = [...waiting.get(database) ?? []];
  for (const prepare of left) prepare();
  return left.length;
}

function onDemand<Name extends string>(
  database: DatabaseSync,
  texts: { readonly [name in Name]: string },
  prepare: (text: string) => StatementSync,
): Statements<Name> {
  const left = waiting.get(database) ?? new Set();
  waiting.set(database, left);
  const statements = {} as Record<Name, StatementSync>;
  for (const name in texts) {
    const get = (): StatementSync => {
      const statement = prepare(texts[name]);
      Object.defineProperty(statements, name, { value: statement, enumerable: true });
      left.delete(get);
      return statement;
    };
    left.add(get);
    Object.defineProperty(statements, name, { get, enumerable: true, configurable: true });
  }
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
