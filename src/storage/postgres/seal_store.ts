/**
 * Seals of the ledger, and what the server itself says of rows that were sealed.
 *
 * @module
 */

import { type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { SessionId } from "../../domain/session.ts";
import type { RowCounts } from "../ports/books.ts";
import type { RawRows } from "../ports/archived_runs.ts";
import type { LedgerRun } from "../ports/ledger_run.ts";
import {
  addLots,
  type CallLot,
  FIRST_PRIME,
  type LedgerSeal,
  type LedgerSeals,
  type LooseCalls,
  type NextRunQuery,
  type RunRows,
  SECOND_PRIME,
} from "../ports/seals.ts";
import { alteredCalls } from "../rows/altered_rows.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LEDGER_COLUMNS } from "../rows/ledger_row.ts";
import { PRICE_COLUMNS } from "../rows/price_row.ts";
import { callsOf, endedCallsOf, rawOf, runRowsOf } from "../rows/run_rows.ts";
import { COVERED, DIGESTED } from "../rows/run_digest.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { PostgresDroppedCalls } from "./dropped_calls.ts";
import { BOOKS } from "./ledger_store.ts";
import { PostgresRunArchives } from "./run_archives.ts";
import { toCalls } from "./stored_calls.ts";

const LEDGER_NAMES = [...LEDGER_COLUMNS, "checksum"].join(", ");
const CALL_NAMES = [...CALL_COLUMNS, "checksum"].join(", ");
const PRICE_NAMES = [...PRICE_COLUMNS, "checksum"].join(", ");
const SEAL_NAMES = "book, after_seq, through_seq, document, sha256";

const KEPT_NAMES = [...CALL_COLUMNS, "checksum"].map((name) => `calls.${name}`).join(", ");

const DIGESTED_NAMES = DIGESTED.join(", ");

const LOT = `count(*) AS calls, coalesce(sum(call_id), 0) AS ids,
  coalesce(sum((call_id % ${FIRST_PRIME}) * (call_id % ${SECOND_PRIME})), 0) AS mixed`;

/** A call's row that says how it ended. */
const IS_OUTCOME = "(kind = 'settle' OR kind = 'release')";

/** Of one way to ask, which may take long. */
export class PostgresSealStore implements LedgerSeals {
  readonly #ask: Ask;
  readonly #session: () => SessionId;
  readonly dropped: PostgresDroppedCalls;
  readonly archives: PostgresRunArchives;

  /** @param session Who would seal. */
  constructor(ask: Ask, session: () => SessionId) {
    this.#ask = ask;
    this.#session = session;
    this.dropped = new PostgresDroppedCalls(ask);
    this.archives = new PostgresRunArchives(ask, session);
  }

  async list(after: BookPlace | undefined, limit: number): Promise<readonly LedgerSeal[]> {
    const rows = await this.#ask.all(
      `SELECT ${SEAL_NAMES}, dropped FROM ledger_seals WHERE (book, after_seq) > (?::bigint, ?::bigint)
       ORDER BY book, after_seq LIMIT ?`,
      after?.book ?? MAIN_BOOK,
      after?.seq ?? -1,
      limit,
    );
    return rows.map(({ book, after_seq, through_seq, document, sha256, dropped }) => ({
      book: book as number,
      afterSeq: after_seq as number,
      throughSeq: through_seq as number,
      document: document as string,
      sha256: sha256 as string,
      isDropped: dropped !== 0,
    }));
  }

  /** A hash of hashes of rows, in their order. */
  async digest({ book, afterSeq, throughSeq }: LedgerRun): Promise<string> {
    const row = await this.#ask.get(
      `SELECT md5(coalesce(string_agg(md5(ROW(${DIGESTED_NAMES})::text), '' ORDER BY run.seq), ''))
         AS digest
       FROM (SELECT * FROM ledger WHERE book = ? AND seq > ? AND seq <= ?) AS run
         LEFT JOIN calls ON calls.call_id = run.call_id
         LEFT JOIN price_versions ON price_versions.version = calls.price_version`,
      book,
      afterSeq,
      throughSeq,
    );
    return COVERED + (row!.digest as string);
  }

  async read({ book, afterSeq, throughSeq }: LedgerRun, limit: number): Promise<RunRows> {
    const run = { book, afterSeq, throughSeq };
    const found = await this.#ledgerOf(run, limit);
    const rows = [...found, ...await this.#restOfCall(found, { book, throughSeq, limit })];
    return runRowsOf(book, { rows, calls: await this.#callsWith(callsOf(rows)) });
  }

  async readRaw(run: LedgerRun, limit: number): Promise<RawRows> {
    const ledger = await this.#ledgerOf(run, limit);
    const calls = await this.#callsWith(endedCallsOf(ledger));
    const versions = new Set(calls.map(({ price_version }) => Number(price_version)));
    const prices = versions.size === 0 ? [] : await this.#ask.allWide(
      `SELECT ${PRICE_NAMES} FROM price_versions WHERE version = ANY(?::bigint[]) ORDER BY version`,
      [...versions],
    );
    const last = ledger.at(-1)?.seq;
    return {
      throughSeq: last === undefined ? undefined : Number(last),
      ledger: ledger.map((row) => rawOf(row, LEDGER_COLUMNS)),
      calls: calls.map((row) => rawOf(row, CALL_COLUMNS)),
      prices: prices.map((row) => rawOf(row, PRICE_COLUMNS)),
    };
  }

  #ledgerOf({ book, afterSeq, throughSeq }: LedgerRun, limit: number) {
    return this.#ask.allWide(
      `SELECT ${LEDGER_NAMES} FROM ledger WHERE book = ? AND seq > ? AND seq <= ?
       ORDER BY seq LIMIT ?`,
      book,
      afterSeq,
      throughSeq,
      limit,
    );
  }

  async #callsWith(ids: readonly number[]) {
    return ids.length === 0 ? [] : await this.#ask.allWide(
      `SELECT ${CALL_NAMES} FROM calls WHERE call_id = ANY(?::bigint[]) ORDER BY call_id`,
      ids,
    );
  }

  /** What a call has lost follows on how it ended. */
  async #restOfCall(
    rows: readonly AskedRow[],
    { book, throughSeq, limit }: {
      readonly book: number;
      readonly throughSeq: number;
      readonly limit: number;
    },
  ): Promise<readonly AskedRow[]> {
    const last = rows.at(-1);
    if (last === undefined || rows.length < limit || last.call_id === null) return [];
    return await this.#ask.allWide(
      `SELECT ${LEDGER_NAMES} FROM ledger
       WHERE book = ? AND seq = ? AND seq <= ? AND kind = 'loss' AND call_id = ?`,
      book,
      Number(last.seq) + 1,
      throughSeq,
      last.call_id as bigint,
    );
  }

  async looseCalls(afterCallId: number, limit: number): Promise<LooseCalls> {
    const rows = await this.#ask.allWide(
      `SELECT * FROM (
         (SELECT ${CALL_NAMES} FROM calls WHERE state = 'open' AND call_id > ?1
          ORDER BY call_id LIMIT ?2)
         UNION ALL
         (SELECT ${KEPT_NAMES} FROM kept_calls JOIN calls USING (call_id)
          WHERE state <> 'open' AND call_id > ?1 ORDER BY call_id LIMIT ?2)) AS loose
       ORDER BY call_id LIMIT ?2`,
      afterCallId,
      limit,
    );
    return { calls: toCalls(rows), altered: alteredCalls(rows) };
  }

  async nextRun(
    { book, seq, rows, fullBeforeMs, anyBeforeMs }: NextRunQuery,
  ): Promise<LedgerRun | undefined> {
    const found = await this.#ask.get(
      `SELECT coalesce(min(seq) FILTER (WHERE at >= ?4) - 1, max(seq)) AS any_through,
         max(seq) FILTER (WHERE seq = ?3 AND at < ?5) AS full_through
       FROM ledger WHERE book = ?1 AND seq > ?2 AND seq <= least(?3::bigint,
         coalesce((SELECT covered_seq FROM ledger_books WHERE ledger_books.book = ?1), 0))`,
      book,
      seq,
      seq + rows,
      anyBeforeMs,
      fullBeforeMs,
    );
    const through = (found!.full_through ?? found!.any_through) as number | null;
    if (through === null || through <= seq) return undefined;
    // What its last call has lost belongs to it.
    const next = await this.#ask.get(
      `SELECT count(*) AS n FROM ledger AS one JOIN ledger AS next
         ON next.book = one.book AND next.seq = one.seq + 1 AND next.call_id = one.call_id
       WHERE one.book = ? AND one.seq = ? AND next.kind = 'loss'`,
      book,
      through,
    );
    return { book, afterSeq: seq, throughSeq: through + (next!.n as number) };
  }

  async isSealer(): Promise<boolean> {
    const row = await this.#ask.get(
      "SELECT min(session_id) AS eldest FROM node_sessions WHERE state = 'live' AND session_id > 0",
    );
    return row!.eldest === this.#session();
  }

  async put({ book, afterSeq, throughSeq, document, sha256 }: LedgerSeal): Promise<boolean> {
    const added = await this.#ask.run(
      `INSERT INTO ledger_seals (${SEAL_NAMES}) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (book, after_seq) DO NOTHING`,
      book,
      afterSeq,
      throughSeq,
      document,
      sha256,
    );
    return added === 1;
  }

  /** By the tables' keys alone, as far as the server keeps track of what all may see. */
  async lots(sealed: readonly BookPlace[]): ReturnType<LedgerSeals["lots"]> {
    const rows = await this.#ask.allWide(
      `${BOOKS}, sealed AS (
         SELECT book, seq FROM json_to_recordset(?::text::json) AS one (book bigint, seq bigint)),
       dropped AS (
         SELECT ledger_seals.book, after_seq, through_seq FROM ledger_seals
           JOIN sealed ON sealed.book = ledger_seals.book AND through_seq <= sealed.seq
         WHERE dropped > 0)
       SELECT 'dropped' AS lot, book, after_seq AS seq, 0 AS calls, 0 AS ids, 0 AS mixed FROM dropped
       UNION ALL SELECT 'all', 0, 0, ${LOT} FROM calls
       UNION ALL SELECT 'open', 0, 0, ${LOT} FROM calls WHERE state = 'open'
       UNION ALL SELECT 'kept', 0, 0, ${LOT} FROM kept_calls
       UNION ALL SELECT 'unsealed', 0, 0, ${LOT}
         FROM books LEFT JOIN sealed ON sealed.book = books.book
           CROSS JOIN LATERAL (SELECT call_id FROM ledger
             WHERE ledger.book = books.book AND seq > coalesce(sealed.seq, 0) AND ${IS_OUTCOME}) AS one
       UNION ALL SELECT 'stayed', 0, 0, ${LOT}
         FROM dropped CROSS JOIN LATERAL (SELECT call_id FROM ledger
           WHERE ledger.book = dropped.book AND seq > after_seq AND seq <= through_seq
             AND ${IS_OUTCOME}) AS one`,
      JSON.stringify(sealed),
    );
    const lotOf = (name: string) => rows.find(({ lot }) => lot === name) as unknown as CallLot;
    const all = lotOf("all");
    const rest = [lotOf("open"), lotOf("kept")];
    const without = (what: keyof CallLot) => rest.reduce((sum, lot) => sum - lot[what], all[what]);
    return {
      closed: { calls: without("calls"), ids: without("ids"), mixed: without("mixed") },
      unsealed: addLots(lotOf("unsealed"), lotOf("stayed")),
      dropped: rows.filter(({ lot }) => lot === "dropped")
        .map(({ book, seq }) => ({ book: Number(book), seq: Number(seq) })),
    };
  }

  async strays(limit: number): ReturnType<LedgerSeals["strays"]> {
    const calls = await this.#ask.all(
      `SELECT call_id FROM calls WHERE state <> 'open'
         AND NOT EXISTS (SELECT 1 FROM ledger WHERE ledger.call_id = calls.call_id AND ${IS_OUTCOME})
         AND NOT EXISTS (SELECT 1 FROM kept_calls WHERE kept_calls.call_id = calls.call_id)
       ORDER BY call_id LIMIT ?`,
      limit,
    );
    const rows = await this.#ask.all(
      `SELECT book, seq, call_id FROM (
         SELECT book, seq, call_id, row_number() OVER (PARTITION BY call_id ORDER BY book, seq) AS nth
         FROM ledger WHERE ${IS_OUTCOME}) AS one
       WHERE nth > 1 ORDER BY book, seq LIMIT ?`,
      limit,
    );
    return {
      calls: calls.map(({ call_id }) => call_id as number),
      rows: rows.map(({ book, seq, call_id }) => ({
        book: book as number,
        seq: seq as number,
        callId: call_id as number,
      })),
    };
  }

  async rowCounts(): Promise<RowCounts> {
    const row = await this.#ask.get(
      `${BOOKS} SELECT
         (SELECT coalesce(sum((SELECT max(seq) FROM ledger WHERE ledger.book = books.book)), 0)
          FROM books) AS ledger, 0 AS calls,
         (SELECT count(*) FROM price_versions) AS "priceVersions",
         (SELECT count(*) FROM audit) AS audit`,
    );
    return { ...row } as unknown as RowCounts;
  }
}
