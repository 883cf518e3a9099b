/**
 * A server's database as the target of a move. Each slice is a transaction of its own, so a move that
 * ends at any moment leaves a database that says it is not whole, and the next one goes on from there.
 *
 * @module
 */

import { MAIN_BOOK } from "../../domain/book.ts";
import type { Balance } from "../../domain/account.ts";
import {
  CALLS,
  FIRST_TABLES,
  FOLLOWED,
  type FollowedName,
  LAST_TABLES,
  type MoveBegin,
  MOVED_FACTS,
  MOVED_TABLES,
  type MovedCounts,
  type MovedRows,
  type MoveSource,
  type MoveTarget,
} from "../ports/moving.ts";
import type { EndedSession } from "../ports/shared_sign_ins.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Ask } from "./ask.ts";
import { askOver, type Connection, type PostgresPlace } from "./connection.ts";
import { migrate } from "./migrations.ts";
import { type MoveMark, readMark, writeMark } from "./move_mark.ts";
import { BOOK, countRows, COVERED_FACT, movedBalances, openForMoving } from "./move_tables.ts";
import { explainOpening } from "./open_error.ts";
import { BEGIN } from "./session_register.ts";
import { requireOwnVersion } from "./schema_state.ts";
import { PostgresSharedSignIns } from "./shared_sign_ins.ts";
import { quoted, recordset } from "./sql.ts";

/** Tables whose rows stand in the order in which they came, by a number of the server's. */
const NUMBERED = ["webhook_messages", "uploaded_files", "batches", "refused_requests"];
/** What sessions have noted that others read of them. */
const OF_SESSIONS = ["ledger_seals", "leases", "pools", "shares", "idempotency_claims"];
const NOTHING_YET = { prices: 0n, ledger: 0n, audit: 0n };

/** How a target is opened. */
export interface MoveTargetOptions extends PostgresPlace {
  /** For people. */
  readonly name: string;
  readonly now: () => number;
}

/** A server's database that is filled. */
export interface ServerTarget extends MoveTarget {
  /** Has sessions of the console ended there, too, which a data dir has in a file. */
  endSessions(sessions: readonly EndedSession[]): Promise<void>;
}

/**
 * Connects, and makes the tables where there are none.
 *
 * @throws {StorageOpenError} If nobody answers there, nobody is let in, or the database is not this
 * program's.
 */
export async function openMoveTarget(options: MoveTargetOptions): Promise<ServerTarget> {
  let connection: Connection | undefined;
  try {
    connection = await openForMoving(options);
    await migrate(connection);
    await requireOwnVersion(connection);
    return new PostgresMoveTarget(connection, options);
  } catch (error) {
    await connection?.close();
    throw explainOpening(error, options);
  }
}

class PostgresMoveTarget implements ServerTarget {
  readonly name: string;
  readonly #connection: Connection;
  readonly #ask: Ask;
  readonly #now: () => number;
  readonly #run = crypto.randomUUID();

  constructor(connection: Connection, { name, now }: MoveTargetOptions) {
    this.name = name;
    this.#connection = connection;
    this.#ask = askOver(connection);
    this.#now = now;
  }

  async begin(source: MoveSource): Promise<MoveBegin> {
    return await this.#transaction(async () => {
      // Whoever begins a session waits, and then sees what is written here.
      await this.#ask.get(
        "SELECT value FROM cluster_meta WHERE name = 'schema_version' FOR UPDATE",
      );
      const mark = await readMark(this.#connection);
      const lastSession = await this.#lastSession();
      await this.#refuseUsed(mark, lastSession);
      const whyAnew = mark === undefined ? undefined : await this.#whyAnew(mark, source);
      const goesOn = mark !== undefined && whyAnew === undefined;
      const emptied = goesOn ? [...FIRST_TABLES, ...LAST_TABLES] : MOVED_TABLES;
      // With what was noted of rows that were here before, and what sessions have left that have ended.
      await this.#ask.run(
        `TRUNCATE ${quoted([...emptied.map(({ name }) => name), ...OF_SESSIONS])}`,
      );
      await this.#ask.run(`DELETE FROM ledger_books WHERE book <> ${MAIN_BOOK}`);
      if (goesOn) await this.#ask.run("DELETE FROM calls WHERE state = 'open'");
      await writeMark(this.#connection, {
        state: "unfinished",
        other: source.name,
        at: this.#now(),
        run: this.#run,
        lastSession,
      });
      return goesOn
        ? { after: await this.#lastKeys(), earlier: `it goes on from the move of ${at(mark)}` }
        : { after: NOTHING_YET, earlier: whyAnew };
    });
  }

  put(slices: readonly MovedRows[]): Promise<void> {
    return this.#ownTransaction(async () => {
      for (const slice of slices) if (slice.rows.length > 0) await this.#insert(slice);
    });
  }

  async settle(facts: ReadonlyMap<string, string>): Promise<void> {
    await this.#ownTransaction(async () => {
      // Of an earlier move there may be one that the source has not.
      await this.#ask.run("DELETE FROM cluster_meta WHERE name = ANY(?::text[])", MOVED_FACTS);
      await this.#ask.run(
        `UPDATE ledger_books SET covered_seq = ?, is_whole = 0 WHERE book = ${MAIN_BOOK}`,
        Number(facts.get(COVERED_FACT) ?? 0),
      );
      for (const [name, value] of facts) {
        if (name === COVERED_FACT) continue;
        await this.#ask.run(
          `INSERT INTO cluster_meta (name, value) VALUES (?, ?)
           ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
          name,
          value,
        );
      }
      for (const table of NUMBERED) {
        const last = await this.#ask.get(`SELECT coalesce(max(place), 0) AS place FROM ${table}`);
        await this.#ask.run(
          `ALTER TABLE ${table} ALTER COLUMN place RESTART WITH ${last!.place as number + 1}`,
        );
      }
    });
    for (const { name } of MOVED_TABLES) await this.#ask.run(`ANALYZE ${name}`);
  }

  async endSessions(sessions: readonly EndedSession[]): Promise<void> {
    await this.#ownTransaction(() => new PostgresSharedSignIns(this.#ask).endAll(sessions));
  }

  async open(): Promise<void> {
    await this.#ownTransaction((mark) =>
      writeMark(this.#connection, { ...mark, state: "whole", at: this.#now() })
    );
  }

  counts(): Promise<MovedCounts> {
    return countRows(this.#ask);
  }

  balances(): Promise<readonly Balance[]> {
    return movedBalances(this.#ask);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  async #refuseUsed(mark: MoveMark | undefined, lastSession: number): Promise<void> {
    if (mark?.state === "left") return;
    if (mark === undefined) {
      const { rows } = await this.#connection.run("SELECT id FROM projects LIMIT 1", []);
      if (lastSession === 0 && rows.length === 0) return;
    } else if (lastSession <= mark.lastSession) return;
    throw new StorageOpenError(
      `The database ${this.name} has been served from${
        mark === undefined ? "" : ` since the move of ${at(mark)}`
      }: what it has would be lost. Make an empty database to move into`,
    );
  }

  /** Why nothing of what is there can stay; `undefined` where the source has all of it too. */
  async #whyAnew(mark: MoveMark, source: MoveSource): Promise<string | undefined> {
    if (mark.state === "left") {
      return `it begins anew: what the database had was moved to ${mark.other}, ${at(mark)}`;
    }
    const { rows } = await this.#connection.run(
      "SELECT number, sha256 FROM checkpoints ORDER BY number",
      [],
    );
    const archives = rows.map(({ number, sha256 }) => `${number} ${sha256}`).join(", ");
    // Of a move that was broken off early there are none, and no rows of the ledger either.
    const last = await this.#lastKeys();
    if (last.ledger > 0n && archives !== await source.archives()) {
      return "it begins anew: calls were archived since the earlier move";
    }
    for (const name of Object.keys(FOLLOWED) as FollowedName[]) {
      if (last[name] === 0n) continue;
      const { name: table, key: [column] } = FOLLOWED[name];
      const row = await this.#ask.getWide(
        `SELECT checksum FROM ${table} WHERE ${column} = ?`,
        last[name],
      );
      if (row!.checksum !== await source.checksumAt(name, last[name])) {
        return `it begins anew: the earlier move, of ${mark.other}, has rows that are not in ${source.name}`;
      }
    }
    return undefined;
  }

  async #lastKeys(): Promise<Record<FollowedName, bigint>> {
    const keys = { ...NOTHING_YET };
    for (const name of Object.keys(FOLLOWED) as FollowedName[]) {
      const { name: table, key: [column] } = FOLLOWED[name];
      const last = await this.#ask.getWide(
        `SELECT coalesce(max(${column}), 0) AS key FROM ${table}`,
      );
      keys[name] = last!.key as bigint;
    }
    return keys;
  }

  async #lastSession(): Promise<number> {
    const last = await this.#ask.get("SELECT max(session_id) AS session_id FROM node_sessions");
    return last!.session_id as number;
  }

  async #insert({ table, columns, rows }: MovedRows): Promise<void> {
    const isLedger = table === FOLLOWED.ledger;
    const names = quoted(columns);
    await this.#ask.run(
      `INSERT INTO ${table.name} (${names}${isLedger ? `, ${BOOK}` : ""})
       ${NUMBERED.includes(table.name) ? "OVERRIDING SYSTEM VALUE" : ""}
       SELECT ${names}${isLedger ? ", 0" : ""}
       FROM json_populate_recordset(NULL::${table.name}, ?::text::json)
       ${table === CALLS ? "ON CONFLICT (call_id) DO NOTHING" : ""}`,
      recordset(columns, rows),
    );
  }

  /** A transaction of this run, while no other one has taken its place. */
  #ownTransaction(work: (mark: MoveMark) => Promise<void>): Promise<void> {
    return this.#transaction(async () => {
      const mark = await readMark(this.#connection, "FOR UPDATE");
      if (mark?.run !== this.#run) {
        throw new StorageOpenError(
          `Another move into the database ${this.name} has begun: this one has ended`,
        );
      }
      await work(mark);
    });
  }

  async #transaction<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#connection.runEach(...BEGIN);
    try {
      const result = await work();
      if (!await this.#connection.commit()) {
        throw new StorageOpenError(`The database ${this.name} has taken a slice of rows back`);
      }
      return result;
    } catch (error) {
      await this.#connection.rollBack();
      throw error;
    }
  }
}

function at(mark: MoveMark): string {
  return new Date(mark.at).toISOString();
}
