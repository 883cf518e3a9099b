/**
 * The ledger, read, and the search for altered rows.
 *
 * @module
 */

import { type BookId, MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerRow } from "../../domain/call.ts";
import type { RowCounts } from "../ports/books.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { CALL_COLUMNS, callChecksum } from "../rows/call_row.ts";
import { LEDGER_COLUMNS, ledgerFromRow, type StoredLedgerRow } from "../rows/ledger_row.ts";
import { PRICE_COLUMNS } from "../rows/price_row.ts";
import { type ColumnValue, fitsChecksum, rowChecksum } from "../rows/row_checksum.ts";
import { nameOfRow } from "../rows/run_rows.ts";
import type { Ask } from "./ask.ts";

type LedgerPort = Asynchronous<typeof STORES.ledger>;

/** The tables whose rows carry a checksum, with the columns it covers; the first one is the key. */
const CHECKED_TABLES = {
  ledger: LEDGER_COLUMNS,
  calls: CALL_COLUMNS,
  price_versions: PRICE_COLUMNS,
} as const;

/** A book and a number in it as one number: a book has far less than 2^32 rows, and numbers are whole up to 2^53. */
const LEDGER_PLACE = "(book * 4294967296 + seq)";

/** The books by their first rows: not by looking at each row. */
export const BOOKS = `WITH RECURSIVE found AS (
    SELECT min(book) AS book FROM ledger
    UNION ALL SELECT (SELECT min(ledger.book) FROM ledger WHERE ledger.book > found.book) FROM found
      WHERE found.book IS NOT NULL),
  books AS (SELECT book FROM found WHERE book IS NOT NULL ORDER BY book)`;

const SEQ_BITS = 32n;
const SEQ_MASK = 0xffffffffn;

/** The book, and the number in it, of such a number. */
function placeOf(place: number | bigint): readonly [bigint, bigint] {
  return [BigInt(place) >> SEQ_BITS, BigInt(place) & SEQ_MASK];
}

const LEDGER_NAMES = LEDGER_COLUMNS.join(", ");

/** The port's reads. */
export class PostgresLedgerStore implements LedgerPort {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async books(): Promise<readonly BookId[]> {
    const rows = await this.#ask.all(`${BOOKS} SELECT book FROM books WHERE book > 0`);
    return [MAIN_BOOK, ...rows.map(({ book }) => book as BookId)];
  }

  async slice(
    afterSeq: number,
    limit: number,
    book: BookId = MAIN_BOOK,
  ): Promise<readonly LedgerRow[]> {
    const rows = await this.#ask.allWide(
      `SELECT ${LEDGER_NAMES} FROM ledger WHERE book = ? AND seq > ? ORDER BY seq LIMIT ?`,
      book,
      afterSeq,
      limit,
    );
    return rows.map((row) => ({ ...ledgerFromRow(row as unknown as StoredLedgerRow), book }));
  }

  async rowCounts(): Promise<RowCounts> {
    const row = await this.#ask.get(
      `SELECT (SELECT count(*) FROM ledger) AS ledger, (SELECT count(*) FROM calls) AS calls,
         (SELECT count(*) FROM price_versions) AS "priceVersions",
         (SELECT count(*) FROM audit) AS audit`,
    );
    return { ...row } as unknown as RowCounts;
  }

  async alteredRows(
    table: keyof typeof CHECKED_TABLES,
    after: number,
    limit: number,
  ): ReturnType<LedgerPort["alteredRows"]> {
    const columns: readonly string[] = [...CHECKED_TABLES[table], "checksum"];
    const isLedger = table === "ledger";
    // By the columns themselves, as the table's index has them.
    const key = isLedger ? "book, seq" : columns[0];
    const place = isLedger ? LEDGER_PLACE : key;
    const values = isLedger ? "?::bigint, ?::bigint" : "?::bigint";
    const rows = await this.#ask.allWide(
      `SELECT ${place} AS place, ${columns.join(", ")} FROM ${table}
       WHERE (${key}) > (${values}) ORDER BY ${key} LIMIT ?`,
      ...(isLedger ? placeOf(after) : [after]),
      limit,
    );
    const checksumOf = table === "calls" ? callChecksum : rowChecksum;
    const altered = rows.flatMap((row) => {
      const values = columns.map((column) => row[column] as ColumnValue);
      const checksum = Number(values.pop());
      const id = isLedger ? nameOfRow(...placeOf(row.place as bigint)) : String(values[0]);
      return fitsChecksum(values, checksum, checksumOf) ? [] : [{ table, id }];
    });
    return { altered, next: rows.length < limit ? undefined : Number(rows.at(-1)!.place) };
  }
}
