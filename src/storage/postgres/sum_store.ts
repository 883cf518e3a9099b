/**
 * Stored sums.
 *
 * @module
 */

import { type BookId, type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import {
  type ArchivedDay,
  HOURLY_TABLES,
  type HourlyTable,
  MOST_SUMMED,
  type SumRow,
  type SumSlice,
} from "../ports/sums.ts";
import type { UsageSums } from "../rows/usage_sums.ts";
import type { Ask } from "./ask.ts";
import { recordset } from "./sql.ts";

/** Another node has added some of the sums meanwhile: what is missing is to be read again. */
export class SumsOvertaken extends Error {
  override readonly name = "SumsOvertaken";
}

/** How far sums that are about to be written cover a book. */
export interface CoveredBook {
  readonly book: BookId;
  /** As it is stored: who finds another number has not what is missing. */
  readonly from: number;
  readonly through: number;
  /** Whether its session has ended, so that it has no more rows. */
  readonly isWhole: boolean;
}

const USAGE = HOURLY_TABLES.usage_hourly;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresSumStore implements Asynchronous<typeof STORES.sums> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async covered(): Promise<readonly BookPlace[]> {
    const rows = await this.#ask.all(
      "SELECT book, covered_seq AS seq FROM ledger_books ORDER BY book",
    );
    return rows as unknown as readonly BookPlace[];
  }

  /** Later than 0 where the database was moved here. */
  detailsWholeSince(): Promise<number> {
    return this.#number("detail_whole_since");
  }

  /** Likewise. */
  spendRuleSinceHour(): Promise<number> {
    return this.#number("spend_rule_since_hour");
  }

  async slice(
    { table, fromHour, beforeHour = Number.MAX_SAFE_INTEGER, after, limit }: SumSlice,
  ): Promise<{ readonly covered: readonly BookPlace[]; readonly rows: readonly SumRow[] }> {
    const { subject, figures } = HOURLY_TABLES[table];
    const key = ["hour", ...subject];
    const place = after ?? { hour: fromHour, subject: subject.map(() => "") };
    const rows = await this.#ask.allWide(
      `SELECT ${[...key, ...figures].join(", ")} FROM ${table}
       WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")}) AND hour < ?
       ORDER BY ${key.join(", ")} LIMIT ?`,
      place.hour,
      ...place.subject,
      beforeHour,
      limit,
    );
    return {
      covered: await this.covered(),
      rows: rows.map((row) => ({
        hour: Number(row.hour),
        subject: subject.map((name) => row[name] as string),
        figures: figures.map((name) => row[name] as bigint),
      })),
    };
  }

  async nextDay(afterDay: number, beforeDay: number): Promise<ArchivedDay | undefined> {
    const first = await this.#ask.get(
      "SELECT min(hour) / 24 AS day FROM usage_hourly WHERE hour >= ? AND hour < ?",
      (afterDay + 1) * 24,
      beforeDay * 24,
    );
    const day = first!.day as number | null;
    if (day === null) return undefined;
    const rows = await this.#ask.allWide(
      `SELECT project_id, ${USAGE.figures.map((name) => `sum(${name}) AS ${name}`).join(", ")}
       FROM usage_hourly WHERE hour >= ? AND hour < ? GROUP BY project_id ORDER BY project_id`,
      day * 24,
      day * 24 + 24,
    );
    const projects = rows.map((row) => ({
      projectId: row.project_id as string,
      figures: USAGE.figures.map((name) => row[name] as bigint),
    }));
    return { day, projects };
  }

  /**
   * Adds sums to the tables, which then cover the books so far.
   *
   * @throws {SumsOvertaken} When another node has added some of them meanwhile.
   */
  async write(sums: UsageSums, books: readonly CoveredBook[]): Promise<void> {
    for (const { book, from, through, isWhole } of books) {
      const written = await this.#ask.run(
        `INSERT INTO ledger_books (book, covered_seq, is_whole) VALUES (?1, ?2, ?3)
         ON CONFLICT (book) DO UPDATE SET covered_seq = ?2, is_whole = ?3
           WHERE ledger_books.covered_seq = ?4`,
        ...[book, through, isWhole ? 1 : 0, from],
      );
      if (written !== 1) throw new SumsOvertaken(`Another node has added up book ${book}`);
    }
    await this.#add("usage_hourly", [...sums.usageRows()]);
    await this.#add("spend_hourly", [...sums.spendRows()]);
    await this.#add("detail_hourly", [...sums.detailRows()]);
  }

  /**
   * Books whose calls the sums may lack: the session's own, and those of sessions that have ended.
   *
   * @param ownThrough The last row of the own one that the sums are to have.
   */
  async uncovered(own: BookId, ownThrough: number): Promise<readonly CoveredBook[]> {
    const rows = await this.#ask.all(
      `SELECT known.book, coalesce(covered_seq, 0) AS covered,
         coalesce((SELECT max(seq) FROM ledger WHERE ledger.book = known.book), 0) AS last
       FROM (SELECT session_id AS book FROM node_sessions
           WHERE state <> 'live' OR session_id = ?1 OR session_id = ${MAIN_BOOK}) AS known
         LEFT JOIN ledger_books ON ledger_books.book = known.book
       WHERE known.book = ?1 OR known.book = ${MAIN_BOOK} OR coalesce(is_whole, 0) = 0
       ORDER BY known.book`,
      own,
    );
    return rows.map((row) => {
      const book = row.book as number;
      const through = book === own ? ownThrough : row.last as number;
      return { book, from: row.covered as number, through, isWhole: book !== own };
    }).filter(({ isWhole, from, through }) => !isWhole || through > from);
  }

  async #number(name: string): Promise<number> {
    const row = await this.#ask.get("SELECT value FROM cluster_meta WHERE name = ?", name);
    return Number(row?.value ?? 0);
  }

  async #add(table: HourlyTable, rows: readonly (readonly unknown[])[]): Promise<void> {
    if (rows.length === 0) return;
    const { subject, figures } = HOURLY_TABLES[table];
    const key = ["hour", ...subject].join(", ");
    const columns = ["hour", ...subject, ...figures];
    // Subtracted first: no sum of two large amounts is tried. An hour's amount stays at the largest
    // that a column holds, so that no call is refused for the sake of a sum.
    const added = figures.map((name) =>
      `${name} = ${table}.${name} + least(excluded.${name}, ${MOST_SUMMED} - ${table}.${name})`
    );
    await this.#ask.run(
      `INSERT INTO ${table} (${columns.join(", ")})
       SELECT ${columns.join(", ")} FROM json_populate_recordset(NULL::${table}, ?::text::json)
       ORDER BY ${key}
       ON CONFLICT (${key}) DO UPDATE SET ${added.join(", ")}`,
      recordset(columns, rows),
    );
  }
}
