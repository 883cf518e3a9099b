/**
 * A server's database as the source of a move back into a file. While it is read nobody else serves
 * from it: the move has a session.
 *
 * @module
 */

import type { Balance } from "../../domain/account.ts";
import { MAIN_BOOK } from "../../domain/book.ts";
import type { NodeIdentity, SessionId } from "../../domain/session.ts";
import {
  CALLS,
  FOLLOWED,
  type FollowedName,
  type MovedCounts,
  movedFacts,
  type MovedRows,
  type MovedTable,
  type MovedValue,
  type MoveSource,
  selectedOf,
  sliced,
} from "../ports/moving.ts";
import type { Storage } from "../ports/storage.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { askOver, type Connection, type PostgresPlace } from "./connection.ts";
import { hasFurtherBooks, MERGED_COLUMNS, MergedBooks } from "./merged_books.ts";
import { writeMark } from "./move_mark.ts";
import {
  countRows,
  COVERED_FACT,
  movedBalances,
  movedColumns,
  openForMoving,
} from "./move_tables.ts";
import { explainOpening } from "./open_error.ts";
import { requireOwnVersion } from "./schema_state.ts";
import { PostgresOwnPrices } from "./own_prices.ts";
import { openPostgresStorage } from "./postgres_storage.ts";
import { lockSessions } from "./session_register.ts";
import { quoted } from "./sql.ts";

/** How a source is opened. */
export interface MoveSourceOptions extends PostgresPlace {
  /** For people. */
  readonly name: string;
  /** Whose session it is. */
  readonly identity: NodeIdentity;
  /** Where its content may have gone by a move that was broken off at its end. */
  readonly mayHaveLeftFor?: string;
}

/** A source whose content goes elsewhere. */
export interface LeavingSource extends MoveSource {
  /**
   * Whether rows of the ledger are not brought as they are, as they are of several books. Nobody can tell
   * afterwards whether one was altered: the books have to be checked before.
   */
  readonly isMerged: boolean;
  /** The rows of prices that an operator has put over the list, which a data dir has in a file. */
  ownPrices(): Promise<string | undefined>;
  /**
   * Has nobody serve from it any more: all of it is in `other`.
   *
   * @throws {StorageOpenError} If a session has begun meanwhile, which may have written what is not.
   */
  leave(other: string, now: number): Promise<void>;
}

/**
 * Connects, and begins a session.
 *
 * @throws {StorageOpenError} If it cannot be used, or somebody serves from it.
 */
export async function openMoveSource(options: MoveSourceOptions): Promise<LeavingSource> {
  const storage = await openPostgresStorage({
    ...options,
    identity: { ...options.identity, isAlone: true },
    onLost: () => {},
  });
  let connection: Connection | undefined;
  try {
    const session = await storage.beginSession();
    await storage.writeSums();
    connection = await openForMoving(options);
    await requireOwnVersion(connection);
    await connection.runEach("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
    const ask = askOver(connection);
    await refuseDropped(ask, options.name);
    const columns = await movedColumns(ask);
    const merged = await hasFurtherBooks(ask)
      ? await MergedBooks.open(ask, options.name)
      : undefined;
    return new PostgresMoveSource({ ask, connection, storage, session, merged }, options, columns);
  } catch (error) {
    await connection?.close();
    await storage.close();
    throw explainOpening(error, options);
  }
}

async function refuseDropped(ask: Ask, name: string): Promise<void> {
  const found = await ask.get("SELECT count(*) AS n FROM ledger_seals WHERE dropped > 0");
  if (found!.n === 0) return;
  throw new StorageOpenError(
    `Cannot move ${name} into a file: old calls were deleted there, and a file's ledger has all rows ` +
      "from its first one, or an archive of them",
  );
}

class PostgresMoveSource implements LeavingSource {
  readonly name: string;
  readonly #ask: Ask;
  readonly #connection: Connection;
  readonly #storage: Storage;
  readonly #session: SessionId;
  readonly #merged: MergedBooks | undefined;
  readonly #options: MoveSourceOptions;
  readonly #columns: ReadonlyMap<string, readonly string[]>;

  constructor(
    { ask, connection, storage, session, merged }: {
      readonly ask: Ask;
      readonly connection: Connection;
      readonly storage: Storage;
      readonly session: SessionId;
      readonly merged: MergedBooks | undefined;
    },
    options: MoveSourceOptions,
    columns: ReadonlyMap<string, readonly string[]>,
  ) {
    this.name = options.name;
    this.#ask = ask;
    this.#connection = connection;
    this.#storage = storage;
    this.#session = session;
    this.#merged = merged;
    this.#options = options;
    this.#columns = columns;
  }

  get isMerged(): boolean {
    return this.#merged !== undefined;
  }

  async facts(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#ask.all("SELECT name, value FROM cluster_meta");
    const facts = new Map(rows.map(({ name, value }) => [name as string, value as string]));
    facts.set(COVERED_FACT, String(this.#merged?.lastSeq ?? await this.#covered()));
    return movedFacts(facts);
  }

  async #covered(): Promise<unknown> {
    const covered = await this.#ask.get(
      `SELECT covered_seq AS seq FROM ledger_books WHERE book = ${MAIN_BOOK}`,
    );
    return covered?.seq ?? 0;
  }

  ownPrices(): Promise<string | undefined> {
    return new PostgresOwnPrices(this.#ask).read();
  }

  async archives(): Promise<string> {
    const rows = await this.#ask.all("SELECT number, sha256 FROM checkpoints ORDER BY number");
    return rows.map(({ number, sha256 }) => `${number} ${sha256}`).join(", ");
  }

  async checksumAt(name: FollowedName, key: bigint): Promise<bigint | undefined> {
    const { name: table, key: [column] } = FOLLOWED[name];
    const sql = `SELECT checksum FROM ${table} WHERE ${column} = ?`;
    return (await this.#ask.getWide(sql, key))?.checksum as bigint | undefined;
  }

  async *rows(table: MovedTable, after?: bigint): AsyncIterable<MovedRows> {
    const isMerged = this.#merged !== undefined && table === FOLLOWED.ledger;
    const columns = isMerged ? MERGED_COLUMNS : this.#columns.get(table.name)!;
    const rows = isMerged ? this.#merged.rows() : this.#each(table, after);
    for await (const slice of sliced(rows)) yield { table, columns, rows: slice };
  }

  async callsOf(ids: readonly bigint[]): Promise<MovedRows> {
    const found = await this.#ask.allWide(
      `${this.#selectFrom(CALLS)} WHERE call_id = ANY(?::bigint[]) ORDER BY call_id`,
      ids.map(String),
    );
    return this.#calls(found);
  }

  async *callsWithoutRows(): AsyncIterable<MovedRows> {
    yield this.#calls(
      await this.#ask.allWide(
        `${this.#selectFrom(CALLS)}
         WHERE state = 'open' OR call_id IN (SELECT call_id FROM kept_calls) ORDER BY call_id`,
      ),
    );
  }

  counts(): Promise<MovedCounts> {
    return countRows(this.#ask);
  }

  balances(): Promise<readonly Balance[]> {
    return movedBalances(this.#ask);
  }

  async leave(other: string, now: number): Promise<void> {
    const connection = await openForMoving(this.#options);
    try {
      // Whoever begins a session waits. What is written here is seen by whoever connects afterwards.
      await lockSessions(connection);
      const last = await askOver(connection).get(
        "SELECT session_id, label FROM node_sessions ORDER BY session_id DESC LIMIT 1",
      );
      if (last!.session_id !== this.#session) {
        throw new StorageOpenError(
          `While ${this.name} was moved it was used by ${
            last!.label
          }: what that has written is not ` +
            "in the file. Nothing was changed; stop all nodes and move again",
        );
      }
      await writeMark(connection, {
        state: "left",
        ...{ other, at: now, run: crypto.randomUUID() },
        lastSession: this.#session,
      });
      if (!await connection.commit()) throw new Error("The server has rolled the transaction back");
    } finally {
      await connection.close();
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await this.#storage.close();
  }

  #calls(found: readonly AskedRow[]): MovedRows {
    const columns = this.#columns.get(CALLS.name)!;
    return { table: CALLS, columns, rows: found.map((row) => valuesOf(row, columns)) };
  }

  /** In order of the key, some at a time: each statement goes on behind the row before. */
  async *#each(table: MovedTable, after: bigint | undefined): AsyncGenerator<MovedValue[]> {
    const columns = this.#columns.get(table.name)!;
    let behind: readonly MovedValue[] | undefined = after === undefined ? undefined : [after];
    const order = quoted(table.key);
    for (;;) {
      const where = behind === undefined
        ? ""
        : `WHERE (${order}) > (${behind.map(() => "?").join(", ")})`;
      const found = await this.#ask.allWide(
        `${this.#selectFrom(table)} ${where} ORDER BY ${order} LIMIT ${PAGE}`,
        ...behind ?? [],
      );
      for (const row of found) yield valuesOf(row, columns);
      if (found.length < PAGE) return;
      behind = table.key.map((name) => found.at(-1)![name] as MovedValue);
    }
  }

  #selectFrom(table: MovedTable): string {
    const selected = this.#columns.get(table.name)!.map((column) => selectedOf(table, column));
    return `SELECT ${selected.join(", ")} FROM ${table.name}`;
  }
}

/** Rows of one statement. */
const PAGE = 500;

function valuesOf(row: AskedRow, columns: readonly string[]): MovedValue[] {
  return columns.map((name) => row[name] as MovedValue);
}
