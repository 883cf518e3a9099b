/**
 * The ledger's books as the one book that a file has: their rows in the order of their times, each book's
 * in its own but for what waits for a credit, numbered anew, each with the balance of its project after it.
 *
 * @module
 */

import { MAIN_BOOK } from "../../domain/book.ts";
import type { MovedValue } from "../ports/moving.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import { LEDGER_COLUMNS, type StoredLedgerRow } from "../rows/ledger_row.ts";
import { rowChecksum } from "../rows/row_checksum.ts";
import type { Ask } from "./ask.ts";

/** What a merged row has, in this order. */
export const MERGED_COLUMNS = [...LEDGER_COLUMNS, "checksum"] as const;

const COLUMNS = LEDGER_COLUMNS.join(", ");

/** Rows that the server sends at one time. */
const FETCHED = 1_000;
/** Rows that wait in memory, some 500 bytes each. */
const MOST_WAITING = 2_000_000;

/** What a row adds to its project's balance. */
const ADDED = `CASE kind WHEN 'credit' THEN amount_e8 WHEN 'settle' THEN -amount_e8 ELSE 0 END`;

type AddedRow = StoredLedgerRow & { readonly added: bigint };

/** Whether rows are in another book than the main one. */
export async function hasFurtherBooks(ask: Ask): Promise<boolean> {
  const found = await ask.get(`SELECT book FROM ledger WHERE book <> ${MAIN_BOOK} LIMIT 1`);
  return found !== undefined;
}

/** All books of a database, read in a transaction that sees one moment, while nobody serves from it. */
export class MergedBooks {
  readonly #ask: Ask;
  /** The number before the first row: of the last one that was archived. */
  readonly #before: bigint;
  readonly #rows: bigint;

  private constructor(ask: Ask, before: bigint, rows: bigint) {
    this.#ask = ask;
    this.#before = before;
    this.#rows = rows;
  }

  /** @throws {StorageOpenError} If the hourly sums lack rows: which, one book cannot say. */
  static async open(ask: Ask, name: string): Promise<MergedBooks> {
    const lacking = await ask.get(
      `SELECT books.book FROM (SELECT book, max(seq) AS last FROM ledger GROUP BY book) AS books
         LEFT JOIN ledger_books ON ledger_books.book = books.book
       WHERE books.last > coalesce(ledger_books.covered_seq, 0) LIMIT 1`,
    );
    if (lacking !== undefined) {
      throw new StorageOpenError(
        `Cannot move ${name} into a file: usage is not added up yet of all its calls (book ` +
          `${lacking.book}). Start a node for a moment, stop it, and move again`,
      );
    }
    const row = await ask.getWide(
      `SELECT (SELECT count(*) FROM ledger) AS rows, coalesce(
         (SELECT min(seq) - 1 FROM ledger WHERE book = ${MAIN_BOOK}),
         (SELECT max(last_seq) FROM checkpoints), 0) AS before`,
    );
    return new MergedBooks(ask, row!.before as bigint, row!.rows as bigint);
  }

  /** The number of the last row. */
  get lastSeq(): bigint {
    return this.#before + this.#rows;
  }

  /**
   * Rows with the values of {@linkcode MERGED_COLUMNS}, once; those of a book in its order. Nodes' clocks
   * differ: where a balance would be below zero, a charge waits for the credit that it was paid of, and
   * its project's rows behind it wait too, but for credits. In the end none waits: what is left of a
   * balance is never below zero.
   *
   * @throws {StorageOpenError} If more wait than memory has room for, as a clock was far ahead.
   */
  async *rows(): AsyncGenerator<MovedValue[]> {
    const balances = await this.#openingBalances();
    const waiting = new Map<string, WaitingRows>();
    let waits = 0;
    let seq = this.#before;
    const booked = (row: AddedRow): MovedValue[] => {
      const projectId = row.project_id as string;
      const balance = balances.get(projectId)! + row.added;
      balances.set(projectId, balance);
      const numbered: StoredLedgerRow = { ...row, seq: ++seq, balance_after_e8: balance };
      const values = LEDGER_COLUMNS.map((column) => numbered[column]);
      return [...values, BigInt(rowChecksum(values))];
    };
    for await (const row of this.#inOrder()) {
      const projectId = row.project_id as string;
      const late = waiting.get(projectId) ?? new WaitingRows();
      const fits = ({ added }: AddedRow) => added >= 0n || balances.get(projectId)! + added >= 0n;
      // Also what costs nothing: a loss stands right behind the charge of its call.
      if (row.added <= 0n && (late.first !== undefined || !fits(row))) {
        if (++waits > MOST_WAITING) throw clockAhead(row);
        late.push(row);
        waiting.set(projectId, late);
        continue;
      }
      yield booked(row);
      for (let first = late.first; first !== undefined && fits(first); first = late.first) {
        late.shift();
        waits--;
        yield booked(first);
      }
      if (late.first === undefined) waiting.delete(projectId);
    }
  }

  /** What each project had before the first row that is there. */
  async #openingBalances(): Promise<Map<string, bigint>> {
    const rows = await this.#ask.all(
      `SELECT id, (avail_e8::numeric + held_e8 - coalesce(added, 0))::text AS opening
       FROM projects LEFT JOIN (
         SELECT project_id, sum(${ADDED}) AS added FROM ledger GROUP BY project_id) AS booked
         ON booked.project_id = projects.id`,
    );
    return new Map(rows.map(({ id, opening }) => [id as string, BigInt(opening as string)]));
  }

  async *#inOrder(): AsyncGenerator<AddedRow> {
    await this.#ask.run(
      // Of a node whose clock was set back: what it wrote later comes later all the same.
      `DECLARE moved_ledger NO SCROLL CURSOR FOR
       SELECT ${COLUMNS}, (${ADDED})::bigint AS added
       FROM ledger ORDER BY max(at) OVER (PARTITION BY book ORDER BY seq), book, seq`,
    );
    for (;;) {
      const rows = await this.#ask.allWide(`FETCH ${FETCHED} FROM moved_ledger`);
      yield* rows as unknown as readonly AddedRow[];
      if (rows.length < FETCHED) break;
    }
    await this.#ask.run("CLOSE moved_ledger");
  }
}

/** Rows of a project in their order, of which any number may come and go. */
class WaitingRows {
  readonly #rows: AddedRow[] = [];
  #next = 0;

  get first(): AddedRow | undefined {
    return this.#rows[this.#next];
  }

  push(row: AddedRow): void {
    this.#rows.push(row);
  }

  shift(): void {
    this.#next++;
    // Not each time: what is left is moved then.
    if (this.#next * 2 <= this.#rows.length) return;
    this.#rows.splice(0, this.#next);
    this.#next = 0;
  }
}

function clockAhead({ project_id, at }: AddedRow): StorageOpenError {
  return new StorageOpenError(
    `Cannot move the ledger into a file: more than ${MOST_WAITING} charges were made, by their times, ` +
      `before the credits that they were paid of, such as of project ${project_id} at ` +
      `${
        new Date(Number(at)).toISOString()
      }: a clock was far ahead when it was credited. Report this`,
  );
}
