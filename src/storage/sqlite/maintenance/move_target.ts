/**
 * A new database file as the target of a move: all of it in one transaction, under a name of its own
 * until it is whole.
 *
 * @module
 */

import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Balance } from "../../../domain/account.ts";
import type { MoveBegin, MovedCounts, MovedRows, MoveTarget } from "../../ports/moving.ts";
import { change } from "../statements.ts";
import { SqliteMoveSource } from "./move_source.ts";

/** Fills a database that this program has just made. */
export class SqliteMoveTarget implements MoveTarget {
  readonly name: string;
  readonly #path: string;
  readonly #database: DatabaseSync;
  readonly #inserts = new Map<string, StatementSync>();

  /** @param name What it is called for people, once it is whole. */
  constructor(path: string, name: string) {
    this.name = name;
    this.#path = path;
    this.#database = new DatabaseSync(path);
  }

  /** What guards rows that are there is put aside: these come as they are. */
  begin(): Promise<MoveBegin> {
    this.#database.exec("BEGIN");
    for (const [name] of this.#guards()) this.#database.exec(`DROP TRIGGER ${name}`);
    return Promise.resolve({ after: { prices: 0n, ledger: 0n, audit: 0n }, earlier: undefined });
  }

  put(slices: readonly MovedRows[]): Promise<void> {
    for (const slice of slices) {
      if (slice.rows.length === 0) continue;
      const insert = this.#insertInto(slice);
      for (const values of slice.rows) change(insert, values);
    }
    return Promise.resolve();
  }

  settle(facts: ReadonlyMap<string, string>): Promise<void> {
    const write = this.#database.prepare(
      `INSERT INTO meta (name, value) VALUES (?, ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    );
    for (const [name, value] of facts) write.run(name, value);
    for (const guard of this.#asidePut) this.#database.exec(guard);
    this.#database.exec("COMMIT");
    this.#database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return Promise.resolve();
  }

  /** It is once it has its name: whoever moves gives it that. */
  open(): Promise<void> {
    return Promise.resolve();
  }

  counts(): Promise<MovedCounts> {
    return this.#read((source) => source.counts());
  }

  balances(): Promise<readonly Balance[]> {
    return this.#read((source) => source.balances());
  }

  close(): Promise<void> {
    if (this.#database.isOpen) this.#database.close();
    return Promise.resolve();
  }

  readonly #asidePut: string[] = [];

  #guards(): readonly (readonly [name: string, sql: string])[] {
    const rows = this.#database.prepare(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY name",
    ).all();
    const guards = rows.map(({ name, sql }) => [name as string, sql as string] as const);
    this.#asidePut.push(...guards.map(([, sql]) => sql));
    return guards;
  }

  #insertInto({ table, columns }: MovedRows): StatementSync {
    let insert = this.#inserts.get(table.name);
    if (insert === undefined) {
      const names = columns.map((name) =>
        table.name === "webhook_messages" && name === "place" ? "rowid" : `"${name}"`
      );
      insert = this.#database.prepare(
        `INSERT INTO ${table.name} (${names.join(", ")})
         VALUES (${columns.map(() => "?").join(", ")})
         ${table.name === "calls" ? "ON CONFLICT (call_id) DO NOTHING" : ""}`,
      );
      this.#inserts.set(table.name, insert);
    }
    return insert;
  }

  async #read<Value>(read: (source: SqliteMoveSource) => Promise<Value>): Promise<Value> {
    const source = new SqliteMoveSource(this.#path);
    try {
      return await read(source);
    } finally {
      await source.close();
    }
  }
}
