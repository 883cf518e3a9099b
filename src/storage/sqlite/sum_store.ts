/**
 * Stored sums, read.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import {
  type ArchivedDay,
  HOURLY_TABLES,
  type HourlyTable,
  type SumRow,
  type SumSlice,
} from "../ports/sums.ts";
import { DetailBackfill } from "./detail_backfill.ts";
import { inOneTransaction, prepareAll, prepareBigInts } from "./statements.ts";
import { readWideSum, wideSumSql } from "../rows/wide_sum.ts";
import { COVERED } from "./write_statements.ts";

const USAGE = HOURLY_TABLES.usage_hourly;

/** The port's reads over prepared statements. */
export class SqliteSumStore implements Synchronous<typeof STORES.sums> {
  readonly #database: DatabaseSync;
  readonly #sql;
  readonly #sums;
  readonly #backfill: DetailBackfill;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#backfill = new DetailBackfill(database);
    this.#sql = prepareAll(database, {
      meta: "SELECT CAST(value AS INTEGER) AS n FROM meta WHERE name = ?",
      nextDay: `SELECT min(day) AS n FROM (
        SELECT * FROM (SELECT day FROM usage_daily WHERE day > ?1 AND day < ?2 ORDER BY day LIMIT 1)
        UNION ALL
        SELECT * FROM (SELECT hour / 24 FROM usage_hourly
          WHERE hour >= (?1 + 1) * 24 AND hour < ?2 * 24 ORDER BY hour LIMIT 1))`,
    });
    const columns = `project_id, ${USAGE.figures.join(", ")}`;
    this.#sums = prepareBigInts(database, {
      usage_hourly: sliceSql("usage_hourly"),
      detail_hourly: sliceSql("detail_hourly"),
      spend_hourly: sliceSql("spend_hourly"),
      day: `SELECT project_id, ${
        USAGE.figures.map((name) => wideSumSql(name, name)).join(", ")
      } FROM (
          SELECT ${columns} FROM usage_daily WHERE day = ?1
          UNION ALL
          SELECT ${columns} FROM usage_hourly WHERE hour >= ?1 * 24 AND hour < ?1 * 24 + 24)
        GROUP BY project_id`,
    });
  }

  covered(): readonly BookPlace[] {
    return [{ book: MAIN_BOOK, seq: this.coveredSeq() }];
  }

  /** The last row of the one book whose call is in the sums. */
  coveredSeq(): number {
    return this.#number(COVERED);
  }

  detailsWholeSince(): number {
    return this.#number("detail_whole_since");
  }

  /** Adds older calls to the detailed sums, at most so many; gives whether there may be more. */
  backfillDetails(limit: number): boolean {
    return this.#backfill.run(limit);
  }

  spendRuleSinceHour(): number {
    return this.#number("spend_rule_since_hour");
  }

  slice(
    { table, fromHour, beforeHour = Number.MAX_SAFE_INTEGER, after, limit }: SumSlice,
  ): { readonly covered: readonly BookPlace[]; readonly rows: readonly SumRow[] } {
    const { subject, figures } = HOURLY_TABLES[table];
    const place = after ?? { hour: fromHour, subject: subject.map(() => "") };
    return inOneTransaction(this.#database, () => ({
      covered: this.covered(),
      rows: this.#sums[table].all(beforeHour, limit, place.hour, ...place.subject).map((row) => ({
        hour: Number(row.hour),
        subject: subject.map((name) => row[name] as string),
        figures: figures.map((name) => row[name] as bigint),
      })),
    }));
  }

  nextDay(afterDay: number, beforeDay: number): ArchivedDay | undefined {
    return inOneTransaction(this.#database, () => {
      const day = this.#sql.nextDay.get(afterDay, beforeDay)!.n as number | null;
      if (day === null) return undefined;
      const projects = this.#sums.day.all(day).map((row) => ({
        projectId: row.project_id as string,
        figures: USAGE.figures.map((name) => readWideSum(row, name)),
      }));
      return { day, projects };
    });
  }

  #number(name: string): number {
    return (this.#sql.meta.get(name)?.n ?? 0) as number;
  }
}

function sliceSql(table: HourlyTable): string {
  const { subject, figures } = HOURLY_TABLES[table];
  const key = ["hour", ...subject];
  const place = key.map((_, index) => `?${index + 3}`);
  return `SELECT ${[...key, ...figures].join(", ")} FROM ${table}
    WHERE (${key.join(", ")}) > (${place.join(", ")}) AND hour < ?1
    ORDER BY ${key.join(", ")} LIMIT ?2`;
}
