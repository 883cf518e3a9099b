/**
 * A server's database as the source of a move back into a file. Nobody else serves from it until it is
 * closed: the move has a session.
 *
 * @module
 */

import type { Balance } from "../../domain/account.ts";
import { MAIN_BOOK } from "../../domain/book.ts";
import type { AwaitedSession, NodeIdentity, SessionId } from "../../domain/session.ts";
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
import { type EndedSession, MOST_ENDED } from "../ports/shared_sign_ins.ts";
import type { Storage } from "../ports/storage.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { askOver, type Connection, type PostgresPlace } from "./connection.ts";
import { hasFurtherBooks, MERGED_COLUMNS, MergedBooks } from "./merged_books.ts";
import { readMark, writeMark } from "./move_mark.ts";
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
import { PostgresSharedSignIns } from "./shared_sign_ins.ts";
import { quoted } from "./sql.ts";

/** How a source is opened. */
export interface MoveSourceOptions extends PostgresPlace {
  /** For people. */
  readonly name: string;
  /** Whose session it is. */
  readonly identity: NodeIdentity;
  /** Of moves that may have been broken off behind their last word: what has left by them is moved once more. */
  readonly leftByRuns?: readonly string[];
  /** Hears once of each session whose end is waited for. */
  readonly onWait?: (awaited: AwaitedSession) => void;
  /** Milliseconds of silence after which another session has ended. Default 20,000. */
  readonly reapMs?: number;
}

/** The last word of a move. */
export interface Leaving {
  /** Where all of it is, for people. */
  readonly other: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Of the move: what it has filled has its name. */
  readonly run: string;
}

/** A source whose content goes elsewhere. Its rows are read in {@linkcode LeavingSource.atOneMoment}. */
export interface LeavingSource extends MoveSource {
  /**
   * Whether rows of the ledger are not brought as they are, as they are of several books. Nobody can tell
   * afterwards whether one was altered: the books have to be checked before.
   */
  readonly isMerged: boolean;
  /** The run of a move that has had its last word. */
  readonly leftByRun: string | undefined;
  /**
   * Reads all that is to be moved as it is at one moment. No server and no pooler has an open transaction
   * stand idle for long: what takes long and reads none of it is done before or afterwards.
   */
  atOneMoment<Result>(read: () => Promise<Result>): Promise<Result>;
  /** The rows of prices that an operator has put over the list, which a data dir has in a file. */
  ownPrices(): Promise<string | undefined>;
  /** Sessions of the console that were ended before their time, which a data dir has in a file, too. */
  endedSessions(): Promise<readonly EndedSession[]>;
  /**
   * Has nobody serve from it any more: all of it is elsewhere.
   *
   * @throws {StorageOpenError} If a session has begun meanwhile, which may have written what is not.
   */
  leave(leaving: Leaving): Promise<void>;
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
    const ask = askOver(connection);
    await refuseDropped(ask, options.name);
    return new PostgresMoveSource({ ask, connection, storage, session }, options, {
      isMerged: await hasFurtherBooks(ask),
      leftByRun: (await readMark(connection))?.run,
    });
  } catch (error) {
    await connection?.close();
    await storage.close();
    throw explainOpening(error, options);
  }
}

async function refuseDropped(ask: Ask, name: string): Promise<void> {
  const found = await ask.get(
    `SELECT count(*) AS runs, count(archive) AS archived, min(abs(archive)) AS first
     FROM ledger_seals WHERE dropped > 0`,
  );
  const { runs, archived, first } = found!;
  if (runs === 0) return;
  throw new StorageOpenError(
    archived === runs
      ? `Cannot move ${name} into a file: old calls were archived there. Put them back first, on a node ` +
        `that has the files: tollgate calls archive restore ${first}`
      : `Cannot move ${name} into a file: old calls were deleted there, and a file's ledger has all rows ` +
        "from its first one, or an archive of them",
  );
}

/** What is known of the moment that is read. */
interface Moment {
  readonly columns: ReadonlyMap<string, readonly string[]>;
  readonly merged: MergedBooks | undefined;
}

class PostgresMoveSource implements LeavingSource {
  readonly name: string;
  readonly isMerged: boolean;
  readonly leftByRun: string | undefined;
  readonly #ask: Ask;
  readonly #connection: Connection;
  readonly #storage: Storage;
  readonly #session: SessionId;
  readonly #options: MoveSourceOptions;
  #current: Moment | undefined;

  constructor(
    { ask, connection, storage, session }: {
      readonly ask: Ask;
      readonly connection: Connection;
      readonly storage: Storage;
      readonly session: SessionId;
    },
    options: MoveSourceOptions,
    { isMerged, leftByRun }: Pick<LeavingSource, "isMerged" | "leftByRun">,
  ) {
    this.name = options.name;
    this.isMerged = isMerged;
    this.leftByRun = leftByRun;
    this.#ask = ask;
    this.#connection = connection;
    this.#storage = storage;
    this.#session = session;
    this.#options = options;
  }

  async atOneMoment<Result>(read: () => Promise<Result>): Promise<Result> {
    const ask = this.#ask;
    // The target is written to between two statements, which takes as long as its disk does.
    await this.#connection.runEach(
      "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
      "SET LOCAL idle_in_transaction_session_timeout = 0",
    );
    try {
      this.#current = {
        columns: await movedColumns(ask),
        merged: this.isMerged ? await MergedBooks.open(ask, this.name) : undefined,
      };
      return await read();
    } finally {
      this.#current = undefined;
      await this.#connection.rollBack();
    }
  }

  /** @throws {Error} Outside of a moment. */
  get #moment(): Moment {
    if (this.#current === undefined) throw new Error("What is moved is read at one moment");
    return this.#current;
  }

  async facts(): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#ask.all("SELECT name, value FROM cluster_meta");
    const facts = new Map(rows.map(({ name, value }) => [name as string, value as string]));
    facts.set(COVERED_FACT, String(this.#moment.merged?.lastSeq ?? await this.#covered()));
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

  endedSessions(): Promise<readonly EndedSession[]> {
    return new PostgresSharedSignIns(this.#ask).listEnded(MOST_ENDED);
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
    const { merged } = this.#moment;
    const isMerged = merged !== undefined && table === FOLLOWED.ledger;
    const columns = isMerged ? MERGED_COLUMNS : this.#columnsOf(table);
    const rows = isMerged ? merged.rows() : this.#each(table, after);
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

  async leave({ other, at, run }: Leaving): Promise<void> {
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
      const lastSession = this.#session;
      await writeMark(connection, { state: "left", ...{ other, at, run, lastSession } });
      if (!await connection.commit()) throw new Error("The server has rolled the transaction back");
    } finally {
      await connection.close();
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
    await this.#storage.close();
  }

  #columnsOf({ name }: MovedTable): readonly string[] {
    return this.#moment.columns.get(name)!;
  }

  #calls(found: readonly AskedRow[]): MovedRows {
    const columns = this.#columnsOf(CALLS);
    return { table: CALLS, columns, rows: found.map((row) => valuesOf(row, columns)) };
  }

  /** In order of the key, some at a time: each statement goes on behind the row before. */
  async *#each(table: MovedTable, after: bigint | undefined): AsyncGenerator<MovedValue[]> {
    const columns = this.#columnsOf(table);
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
    const selected = this.#columnsOf(table).map((column) => selectedOf(table, column));
    return `SELECT ${selected.join(", ")} FROM ${table.name}`;
  }
}

/** Rows of one statement. */
const PAGE = 500;

function valuesOf(row: AskedRow, columns: readonly string[]): MovedValue[] {
  return columns.map((name) => row[name] as MovedValue);
}
