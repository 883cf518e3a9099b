/**
 * Usage reports from the hourly sums: newest hours first, slice by slice, so that
 * no statement runs long and a report that takes too long ends with whole hours.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { UsageCut, UsageQuery, UsageReport } from "../ports/storage.ts";
import { UsageLines } from "./usage_lines.ts";

const HOUR_MS = 3_600_000;

/** More lines than a report can be read. */
const MOST_LINES = 10_000;
/** Rows that one statement adds up, about 50 ms on a slow machine. */
const SLICE_ROWS = 10_000;
/** Hours in which one statement looks for the rows of a project. */
const SLICE_HOURS = 500;

/** What a test may choose otherwise. */
export interface UsageReportOptions {
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
  readonly mostLines?: number;
  readonly sliceRows?: number;
}

/** Hours since the epoch, both included. */
interface Hours {
  readonly first: number;
  readonly last: number;
}

/** A place in the table behind which a slice begins. */
type Place = readonly [project: string, model: string, provider: string, route: string];

/**
 * Adds up whole hours: `fromMs` counts from the start of its hour, `toMs` to the
 * end of its own, unless it is the start of an hour. Yields between slices.
 */
export function* usageSteps(
  database: DatabaseSync,
  query: UsageQuery,
  options: UsageReportOptions = {},
): Generator<void, UsageReport> {
  const { now = () => performance.now(), mostLines = MOST_LINES, sliceRows = SLICE_ROWS } = options;
  const endsAt = now() + (query.withinMs ?? Infinity);
  const first = Math.floor((query.fromMs ?? 0) / HOUR_MS);
  const lines = new UsageLines(query, mostLines);
  const slices = new UsageSlices(database, { query, lines, sliceRows });
  let before = query.toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(query.toMs / HOUR_MS);
  for (;;) {
    const newest = slices.newestHour({ first, last: before - 1 });
    if (newest === undefined) return reportOf(lines, undefined);
    if (now() >= endsAt) return reportOf(lines, { reason: "time", fromMs: before * HOUR_MS });
    const hours = slices.wholeHours({ first, last: newest });
    if (hours !== undefined) {
      slices.addHours(hours);
      before = hours.first;
    } else {
      const hour = new UsageLines(query, mostLines);
      for (let place = slices.addWithin(newest, undefined, hour); place !== undefined;) {
        yield;
        if (now() >= endsAt) return reportOf(lines, { reason: "time", fromMs: before * HOUR_MS });
        place = slices.addWithin(newest, place, hour);
      }
      lines.take(hour);
      before = newest;
    }
    yield;
  }
}

/** Adds everything up at once, in this thread. */
export function readUsageReport(
  database: DatabaseSync,
  query: UsageQuery,
  options?: UsageReportOptions,
): UsageReport {
  const steps = usageSteps(database, query, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

function reportOf(lines: UsageLines, cut: UsageCut | undefined): UsageReport {
  return { lines: lines.totals(), cut: cut ?? (lines.areCut ? { reason: "rows" } : undefined) };
}

/** The statements of one report. */
class UsageSlices {
  readonly #query: UsageQuery;
  readonly #lines: UsageLines;
  readonly #sliceRows: number;
  readonly #newest: StatementSync;
  readonly #boundary: StatementSync;
  readonly #hours: StatementSync;
  readonly #within: StatementSync;
  readonly #place: StatementSync;

  constructor(
    database: DatabaseSync,
    { query, lines, sliceRows }: {
      readonly query: UsageQuery;
      readonly lines: UsageLines;
      readonly sliceRows: number;
    },
  ) {
    this.#query = query;
    this.#lines = lines;
    this.#sliceRows = sliceRows;
    const { selection, grouping } = lines;
    const prepare = (sql: string) => {
      const statement = database.prepare(sql);
      statement.setReadBigInts(true);
      return statement;
    };
    this.#newest = prepare(
      "SELECT hour FROM usage_hourly WHERE hour >= ? AND hour <= ? ORDER BY hour DESC LIMIT 1",
    );
    this.#boundary = prepare(
      `SELECT hour FROM usage_hourly WHERE hour >= ? AND hour <= ?
       ORDER BY hour DESC LIMIT 1 OFFSET ?`,
    );
    const ofModel = query.model === undefined ? "" : "AND model = ?";
    // Of a project each hour is looked up: its rows are few among those of all.
    this.#hours = prepare(
      query.projectId === undefined
        ? `SELECT ${selection} FROM usage_hourly WHERE hour >= ? AND hour <= ? ${ofModel} ${grouping}`
        : `WITH RECURSIVE hours(h) AS (SELECT ?1 UNION ALL SELECT h + 1 FROM hours WHERE h < ?2)
           SELECT ${selection} FROM hours CROSS JOIN usage_hourly
           ON hour = h AND project_id = ?3 ${ofModel} ${grouping}`,
    );
    const behind = `hour = ?1 AND (project_id, model, provider, route) > (?2, ?3, ?4, ?5)`;
    const ordered = "ORDER BY project_id, model, provider, route LIMIT";
    this.#within = prepare(
      `SELECT ${selection} FROM
         (SELECT * FROM usage_hourly WHERE ${behind} ${ordered} ?6)
       WHERE true ${ofModel} ${grouping}`,
    );
    this.#place = prepare(
      `SELECT project_id, model, provider, route FROM usage_hourly
       WHERE ${behind} ${ordered} 1 OFFSET ?6`,
    );
  }

  /** The newest hour that has rows. */
  newestHour({ first, last }: Hours): number | undefined {
    return hourOf(this.#newest.get(first, last));
  }

  /** As many of the hours as one statement adds up, newest first; `undefined` when the newest alone is too much. */
  wholeHours({ first, last }: Hours): Hours | undefined {
    if (this.#query.projectId !== undefined) {
      return { first: Math.max(first, last - SLICE_HOURS + 1), last };
    }
    const boundary = hourOf(this.#boundary.get(first, last, this.#sliceRows));
    if (boundary === undefined) return { first, last };
    return boundary === last ? undefined : { first: boundary + 1, last };
  }

  /** Adds whole hours. */
  addHours({ first, last }: Hours): void {
    const { projectId, model } = this.#query;
    const filter = [projectId, model].filter((value) => value !== undefined);
    this.#lines.add(this.#hours.all(first, last, ...filter));
  }

  /** Adds a part of an hour to `lines`, and tells where the next one begins. */
  addWithin(hour: number, place: Place | undefined, lines: UsageLines): Place | undefined {
    const { model } = this.#query;
    const ofModel = model === undefined ? [] : [model];
    const from = place ?? ["", "", "", ""];
    lines.add(this.#within.all(hour, ...from, this.#sliceRows, ...ofModel));
    const last = this.#place.get(hour, ...from, this.#sliceRows - 1);
    if (last === undefined) return undefined;
    return [last.project_id, last.model, last.provider, last.route] as unknown as Place;
  }
}

function hourOf(row: Readonly<Record<string, unknown>> | undefined): number | undefined {
  return row === undefined ? undefined : Number(row.hour);
}
