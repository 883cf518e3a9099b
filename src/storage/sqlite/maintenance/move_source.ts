/**
 * A database file as the source of a move: read at one moment, whoever writes it meanwhile, and not
 * changed by a byte.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";
import type { Balance } from "../../../domain/account.ts";
import {
  CALLS,
  FOLLOWED,
  type FollowedName,
  MOVED_TABLES,
  type MovedCounts,
  movedFacts,
  type MovedRows,
  type MovedTable,
  type MovedValue,
  type MoveSource,
  selectedOf,
  sliced,
} from "../../ports/moving.ts";
import { HOURLY_TABLES } from "../../ports/sums.ts";
import { StorageOpenError } from "../../ports/storage_open_error.ts";
import { inspectDatabaseFile } from "../database_file.ts";
import { MIGRATIONS, refuseNewerSchema } from "../migrations.ts";
import { asLists } from "../statements.ts";

/** Opens a file of this program's schema. */
export class SqliteMoveSource implements MoveSource {
  readonly name: string;
  readonly #database: DatabaseSync;

  /** @throws {StorageOpenError} If it cannot be read, or is in the middle of something. */
  constructor(path: string) {
    this.name = path;
    refuseOtherSchemas(path);
    this.#database = new DatabaseSync(path, { readOnly: true });
    this.#database.exec("BEGIN");
    try {
      this.#refuseUnfinishedWork();
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  facts(): Promise<ReadonlyMap<string, string>> {
    const rows = this.#database.prepare("SELECT name, value FROM meta").all();
    const facts = new Map(rows.map(({ name, value }) => [name as string, value as string]));
    return Promise.resolve(movedFacts(facts));
  }

  archives(): Promise<string> {
    const rows = this.#database.prepare("SELECT number, sha256 FROM checkpoints ORDER BY number");
    return Promise.resolve(
      rows.all().map(({ number, sha256 }) => `${number} ${sha256}`).join(", "),
    );
  }

  checksumAt(name: FollowedName, key: bigint): Promise<bigint | undefined> {
    const { name: table, key: [column] } = FOLLOWED[name];
    const statement = this.#database.prepare(`SELECT checksum FROM ${table} WHERE ${column} = ?`);
    statement.setReadBigInts(true);
    return Promise.resolve(statement.get(key)?.checksum as bigint | undefined);
  }

  async *rows(table: MovedTable, after?: bigint): AsyncIterable<MovedRows> {
    const columns = this.#columnsOf(table);
    const where = after === undefined ? "" : `WHERE ${table.key[0]} > ?`;
    const values = after === undefined ? [] : [after];
    const sql = `${this.#selectFrom(table, columns)} ${where} ORDER BY ${table.key.join(", ")}`;
    for await (const rows of sliced(this.#iterate(sql, values))) yield { table, columns, rows };
  }

  callsOf(ids: readonly bigint[]): Promise<MovedRows> {
    const columns = this.#columnsOf(CALLS);
    const sql = `${this.#selectFrom(CALLS, columns)}
      WHERE call_id IN (SELECT value FROM json_each(?)) ORDER BY call_id`;
    const rows = [...this.#iterate(sql, [`[${ids.join(", ")}]`])];
    return Promise.resolve({ table: CALLS, columns, rows });
  }

  async *callsWithoutRows(): AsyncIterable<MovedRows> {
    const columns = this.#columnsOf(CALLS);
    const sql = `${this.#selectFrom(CALLS, columns)}
      WHERE state = 'open' OR call_id IN (SELECT call_id FROM kept_calls) ORDER BY call_id`;
    for await (const rows of sliced(this.#iterate(sql, []))) yield { table: CALLS, columns, rows };
  }

  counts(): Promise<MovedCounts> {
    return Promise.resolve(
      new Map(MOVED_TABLES.map((table) => {
        const from = table.name === "usage_hourly" ? USAGE : table.name;
        const statement = this.#database.prepare(`SELECT count(*) AS n FROM ${from}`);
        statement.setReadBigInts(true);
        return [table.name, statement.get()!.n as bigint];
      })),
    );
  }

  balances(): Promise<readonly Balance[]> {
    const statement = this.#database.prepare(
      "SELECT id, avail_e8, held_e8 FROM projects ORDER BY id",
    );
    statement.setReadBigInts(true);
    return Promise.resolve(
      statement.all().map(({ id, avail_e8, held_e8 }) => ({
        projectId: id as string,
        avail: avail_e8 as bigint,
        held: held_e8 as bigint,
      })),
    );
  }

  close(): Promise<void> {
    this.#database.close();
    return Promise.resolve();
  }

  #refuseUnfinishedWork(): void {
    const { yes } = this.#database.prepare(
      `SELECT EXISTS (SELECT 1 FROM ledger
         WHERE seq <= (SELECT max(last_seq) FROM checkpoints)) AS yes`,
    ).get()!;
    if (yes === 1) {
      throw new StorageOpenError(
        `Cannot move the database ${this.name} yet: archived calls are still being dropped from it. ` +
          "Start `tollgate serve` for some minutes, and move it then",
      );
    }
    const { left } = this.#database.prepare(
      "SELECT CAST(value AS INTEGER) AS left FROM meta WHERE name = 'detail_backfill_seq'",
    ).get()!;
    if (left === 0) return;
    throw new StorageOpenError(
      `Cannot move the database ${this.name} yet: after an update it still adds up details of older ` +
        "calls. Start `tollgate serve` for some minutes, and move it then",
    );
  }

  #columnsOf({ name }: MovedTable): readonly string[] {
    return columnsOf(this.#database, name);
  }

  #selectFrom(table: MovedTable, columns: readonly string[]): string {
    const selected = columns.map((column) =>
      table.name === "webhook_messages" && column === PLACE
        ? `rowid AS ${PLACE}`
        : selectedOf(table, column)
    );
    const from = table.name === "usage_hourly" ? USAGE : table.name;
    return `SELECT ${selected.join(", ")} FROM ${from}`;
  }

  *#iterate(sql: string, values: readonly (string | bigint)[]): Generator<readonly MovedValue[]> {
    const statement = asLists(this.#database.prepare(sql));
    statement.setReadBigInts(true);
    // Lists of values, as was asked for.
    yield* statement.iterate(...values) as unknown as Iterable<readonly MovedValue[]>;
  }
}

/** Where a row stands among others that came at the same time: a column elsewhere, here its number. */
const PLACE = "place";

/** Columns of a table, as rows of it are moved. */
export function columnsOf(database: DatabaseSync, table: string): readonly string[] {
  const names = database.prepare("SELECT name FROM pragma_table_info(?, 'main')").all(table)
    .map(({ name }) => name as string);
  return table === "webhook_messages" ? [PLACE, ...names] : names;
}

const SUBJECT = HOURLY_TABLES.usage_hourly.subject.join(", ");
const FIGURES = HOURLY_TABLES.usage_hourly.figures;

/** Archived days are elsewhere what their first hours have. */
const USAGE = `(
  SELECT hour, ${SUBJECT}, ${FIGURES.map((name) => `sum(${name}) AS ${name}`).join(", ")} FROM (
    SELECT hour, ${SUBJECT}, ${FIGURES.join(", ")} FROM usage_hourly
    UNION ALL SELECT day * 24, ${SUBJECT}, ${FIGURES.join(", ")} FROM usage_daily)
  GROUP BY hour, ${SUBJECT})`;

function refuseOtherSchemas(path: string): void {
  const { schemaVersion } = inspectDatabaseFile(path);
  refuseNewerSchema(schemaVersion, { path, migrations: MIGRATIONS });
  if (schemaVersion === MIGRATIONS.length) return;
  throw new StorageOpenError(
    schemaVersion === 0
      ? `There is no database ${path}: there is nothing to move`
      : `Cannot move the database ${path}: it has schema version ${schemaVersion}, and this program ` +
        `moves version ${MIGRATIONS.length}. Start \`tollgate serve\` of this version once, which ` +
        "brings it there, stop it, and move it then",
  );
}
