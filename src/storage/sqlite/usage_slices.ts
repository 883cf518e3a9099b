/**
 * The statements of one usage report: each adds up a slice of the sums by hour, or of those
 * by day.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { UsageQuery } from "../ports/usage.ts";
import { UsageLines } from "../rows/usage_lines.ts";

/** What a test may choose otherwise. */
export interface UsageReportOptions {
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
  readonly mostLines?: number;
  readonly sliceRows?: number;
}

export const DAY_HOURS = 24;

/** Days in which one statement looks for the rows of a project. */
const PROJECT_DAYS = 20;

/** Hours since the epoch, both included. */
export interface Hours {
  readonly first: number;
  readonly last: number;
}

/** A place in a table behind which a slice begins. */
export type Place = readonly [project: string, model: string, provider: string, route: string];

const START: Place = ["", "", "", ""];

/** The same sums twice: quickly, and without ever overflowing. */
export interface SumStatements {
  readonly quick: StatementSync;
  readonly wide: StatementSync;
}

/** The statements about one of the two tables. */
interface TableStatements {
  /** The newest period in a range. */
  readonly newest: StatementSync;
  /** The newest period in a range of which the rows are behind so many others. */
  readonly boundary: StatementSync;
  /** Adds a range up. */
  readonly range: SumStatements;
  /** Adds up some rows of one period. */
  readonly within: SumStatements;
  /** The last of those rows. */
  readonly place: StatementSync;
}

/** Nothing here spans two statements: the caller has a transaction. */
export class UsageSlices {
  readonly #query: UsageQuery;
  readonly #sliceRows: number;
  readonly #hourly: TableStatements;
  readonly #daily: TableStatements;

  /** @param sliceRows How much is added up at a time. */
  constructor(
    database: DatabaseSync,
    { query, sliceRows }: { readonly query: UsageQuery; readonly sliceRows: number },
  ) {
    this.#query = query;
    this.#sliceRows = sliceRows;
    const lines = new UsageLines(query, 1);
    this.#hourly = prepareTable(database, { query, lines, table: "usage_hourly", period: "hour" });
    this.#daily = prepareTable(database, { query, lines, table: "usage_daily", period: "day" });
  }

  /** The part of a day that is asked for, where only the whole day is there; `undefined` for none. */
  partOfDay(
    { first, last }: Hours,
  ): { readonly edge: "from" | "to"; readonly day: number } | undefined {
    if (first % DAY_HOURS !== 0 && this.hasDaily(dayOf(first))) {
      return { edge: "from", day: dayOf(first) };
    }
    if ((last + 1) % DAY_HOURS !== 0 && this.hasDaily(dayOf(last))) {
      return { edge: "to", day: dayOf(last) };
    }
    return undefined;
  }

  /** Whether there are rows of the whole day. */
  hasDaily(day: number): boolean {
    return this.#daily.newest.get(day, day) !== undefined;
  }

  /** The newest day that has rows. */
  newestDay({ first, last }: Hours): number | undefined {
    const hour = numberIn(this.#hourly.newest.get(first, last));
    const day = numberIn(this.#daily.newest.get(dayOf(first), dayOf(last)));
    if (hour === undefined) return day;
    return Math.max(dayOf(hour), day ?? 0);
  }

  /** As many of the days as one statement adds up, newest first; `undefined` when the newest alone is too much. */
  wholeDays({ first, last }: Hours): Hours | undefined {
    const newest = dayOf(last);
    if (this.#query.projectId !== undefined) {
      return { first: Math.max(first, (newest - PROJECT_DAYS + 1) * DAY_HOURS), last };
    }
    const hour = numberIn(this.#hourly.boundary.get(first, last, this.#sliceRows));
    const day = numberIn(this.#daily.boundary.get(dayOf(first), newest, this.#sliceRows));
    const tooMuch = Math.max(hour === undefined ? -1 : dayOf(hour), day ?? -1);
    if (tooMuch === newest) return undefined;
    return { first: Math.max(first, (tooMuch + 1) * DAY_HOURS), last };
  }

  /** Adds whole days. */
  addDays(days: Hours, lines: UsageLines): void {
    this.addHours(days, lines);
    lines.add(sumsOf(this.#daily.range, dayOf(days.first), dayOf(days.last), ...this.#filter()));
  }

  /** As many of the hours as one statement adds up, newest first; `undefined` when the newest alone is too much. */
  wholeHours({ first, last }: Hours): Hours | undefined {
    const boundary = numberIn(this.#hourly.boundary.get(first, last, this.#sliceRows));
    if (boundary === undefined) return { first, last };
    return boundary === last ? undefined : { first: boundary + 1, last };
  }

  /** Adds what hours have of their own. */
  addHours({ first, last }: Hours, lines: UsageLines): void {
    lines.add(sumsOf(this.#hourly.range, first, last, ...this.#filter()));
  }

  /** Adds a part of an hour, and tells where the next one begins. */
  addOfHour(hour: number, place: Place | undefined, lines: UsageLines): Place | undefined {
    return this.#addWithin(this.#hourly, { period: hour, place, lines });
  }

  /** Adds a part of the rows of a whole day, and tells where the next one begins. */
  addOfDay(day: number, place: Place | undefined, lines: UsageLines): Place | undefined {
    return this.#addWithin(this.#daily, { period: day, place, lines });
  }

  #filter(): readonly string[] {
    const { projectId, model } = this.#query;
    return [projectId, model].filter((value) => value !== undefined);
  }

  #addWithin(
    { within, place }: TableStatements,
    { period, place: from = START, lines }: {
      readonly period: number;
      readonly place: Place | undefined;
      readonly lines: UsageLines;
    },
  ): Place | undefined {
    const { model } = this.#query;
    const ofModel = model === undefined ? [] : [model];
    lines.add(sumsOf(within, period, ...from, this.#sliceRows, ...ofModel));
    const last = place.get(period, ...from, this.#sliceRows - 1);
    if (last === undefined) return undefined;
    return [last.project_id, last.model, last.provider, last.route] as unknown as Place;
  }
}

function prepareTable(
  database: DatabaseSync,
  { query, lines, table, period }: {
    readonly query: UsageQuery;
    readonly lines: UsageLines;
    readonly table: "usage_hourly" | "usage_daily";
    readonly period: "hour" | "day";
  },
): TableStatements {
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const { grouping } = lines;
  const prepareSums = (sqlOf: (selection: string) => string): SumStatements => ({
    quick: prepare(sqlOf(lines.selection(false))),
    wide: prepare(sqlOf(lines.selection(true))),
  });
  // What is selected asks for hours.
  const rows = period === "hour" ? table : `(SELECT day * ${DAY_HOURS} AS hour, * FROM ${table})`;
  const inRange = `FROM ${table} WHERE ${period} >= ? AND ${period} <= ? ORDER BY ${period} DESC`;
  const ofModel = query.model === undefined ? "" : "AND model = ?";
  const behind = `${period} = ?1 AND (project_id, model, provider, route) > (?2, ?3, ?4, ?5)`;
  const ordered = "ORDER BY project_id, model, provider, route LIMIT";
  return {
    newest: prepare(`SELECT ${period} AS n ${inRange} LIMIT 1`),
    boundary: prepare(`SELECT ${period} AS n ${inRange} LIMIT 1 OFFSET ?`),
    // Of a project each period is looked up: its rows are few among those of all.
    range: prepareSums((selection) =>
      query.projectId === undefined
        ? `SELECT ${selection} FROM ${rows}
           WHERE ${period} >= ? AND ${period} <= ? ${ofModel} ${grouping}`
        : `WITH RECURSIVE periods(n) AS (
             SELECT ?1 UNION ALL SELECT n + 1 FROM periods WHERE n < ?2)
           SELECT ${selection} FROM periods CROSS JOIN ${rows}
           ON ${period} = n AND project_id = ?3 ${ofModel} ${grouping}`
    ),
    within: prepareSums((selection) =>
      `SELECT ${selection} FROM
         (SELECT * FROM ${rows} WHERE ${behind} ${ordered} ?6)
       WHERE true ${ofModel} ${grouping}`
    ),
    place: prepare(
      `SELECT project_id, model, provider, route FROM ${table}
       WHERE ${behind} ${ordered} 1 OFFSET ?6`,
    ),
  };
}

/** The rows of whichever of the two adds them up. */
export function sumsOf({ quick, wide }: SumStatements, ...values: readonly (string | number)[]) {
  try {
    return quick.all(...values);
  } catch (error) {
    // More than 64 bits.
    if (!(error instanceof Error && error.message === "integer overflow")) throw error;
    return wide.all(...values);
  }
}

function dayOf(hour: number): number {
  return Math.floor(hour / DAY_HOURS);
}

function numberIn(row: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return row === undefined ? undefined : Number(row.n);
}
