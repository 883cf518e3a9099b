/**
 * Usage reports from hourly and daily sums: newest first, slice by slice, so that no
 * statement runs long and a report that takes too long ends with whole hours.
 *
 * Sums of archived months are moved from hours to their day meanwhile. Of days that one
 * statement adds up, both tables are read in one transaction, in which they have each day once.
 * A day that takes many statements is read in one transaction only if it is partly moved: as
 * long as one is open, the log cannot begin anew.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { UsageCut, UsageQuery, UsageReport } from "../ports/usage.ts";
import { isByTag, isDetailed } from "../ports/usage.ts";
import { detailedUsageSteps } from "./detailed_usage.ts";
import { taggedUsageSteps } from "./tagged_usage.ts";
import { UsageLines } from "../rows/usage_lines.ts";
import { DAY_HOURS, type Place, type UsageReportOptions, UsageSlices } from "./usage_slices.ts";

const HOUR_MS = 3_600_000;

/** More lines than a report can be read. */
const MOST_LINES = 10_000;
/** Rows that one statement adds up, some milliseconds: whoever calls wants the processor too. */
const SLICE_ROWS = 5_000;

/**
 * Adds up whole hours: `fromMs` counts from the start of its hour, `toMs` to the
 * end of its own, unless it is the start of an hour. Yields between slices, perhaps within a
 * transaction: until it ends, the connection is for nobody else.
 */
export function usageSteps(
  database: DatabaseSync,
  query: UsageQuery,
  options: UsageReportOptions = {},
): Generator<void, UsageReport> {
  if (isByTag(query)) return taggedUsageSteps(database, query, options);
  return isDetailed(query)
    ? detailedUsageSteps(database, query, options)
    : new UsageReading(database, query, options).report();
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

/** How a report is read, from its last hour to its first. */
class UsageReading {
  readonly #database: DatabaseSync;
  readonly #query: UsageQuery;
  readonly #mostLines: number;
  readonly #slices: UsageSlices;
  readonly #lines: UsageLines;
  readonly #isLate: () => boolean;
  /** The first hour that is asked for, and the last. */
  readonly #first: number;
  readonly #last: number;
  /** The lines have this hour and all behind it. */
  #reached: number;

  constructor(
    database: DatabaseSync,
    query: UsageQuery,
    { now = () => performance.now(), mostLines = MOST_LINES, sliceRows = SLICE_ROWS }:
      UsageReportOptions,
  ) {
    const endsAt = now() + (query.withinMs ?? Infinity);
    const { fromMs = 0, toMs } = query;
    this.#database = database;
    this.#query = query;
    this.#mostLines = mostLines;
    this.#slices = new UsageSlices(database, { query, sliceRows });
    this.#lines = this.#newLines();
    this.#isLate = () => now() >= endsAt;
    this.#first = Math.floor(fromMs / HOUR_MS);
    this.#reached = toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS);
    this.#last = this.#reached - 1;
  }

  *report(): Generator<void, UsageReport> {
    for (;;) {
      const end = yield* this.#readNext();
      if (end === "time") return this.#cut({ reason: "time", fromMs: this.#reached * HOUR_MS });
      if (end === "whole") return this.#cut(this.#lines.areCut ? { reason: "rows" } : undefined);
      if (end !== undefined) return { lines: [], cut: end };
      yield;
    }
  }

  #cut(cut: UsageCut | undefined): UsageReport {
    return { lines: this.#lines.totals(), cut };
  }

  #newLines(): UsageLines {
    return new UsageLines(this.#query, this.#mostLines);
  }

  /** A connection that is in a transaction already reads everything in that one. */
  *#inTransaction<Value>(work: Generator<void, Value>): Generator<void, Value> {
    if (this.#database.isTransaction) return yield* work;
    this.#database.exec("BEGIN");
    try {
      return yield* work;
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  /** Reads the newest days that one statement adds up, or a day that is too much for that. */
  *#readNext(): Generator<void, "time" | "whole" | UsageCut | undefined> {
    const day = yield* this.#inTransaction(this.#readDays());
    if (typeof day !== "number") return day;
    if (!this.#slices.hasDaily(day)) {
      const apart = this.#newLines();
      const wasReached = this.#reached;
      const isLate = yield* this.#readHours(day, apart, (hour) => this.#reached = hour);
      // Nothing is moved before there are rows of the whole day: then these hours are right.
      if (!this.#slices.hasDaily(day)) {
        this.#lines.take(apart);
        return isLate;
      }
      this.#reached = wasReached;
    }
    return yield* this.#inTransaction(this.#readDay(day));
  }

  /** In a transaction, and without yielding; gives the day that is too much. */
  // deno-lint-ignore require-yield -- a transaction is around either, this or what yields
  *#readDays(): Generator<void, "time" | "whole" | UsageCut | number | undefined> {
    const refused = this.#slices.partOfDay({ first: this.#first, last: this.#last });
    if (refused !== undefined) {
      return { reason: "days", edge: refused.edge, dayMs: refused.day * DAY_HOURS * HOUR_MS };
    }
    const newest = this.#slices.newestDay({ first: this.#first, last: this.#reached - 1 });
    if (newest === undefined) return "whole";
    if (this.#isLate()) return "time";
    const last = Math.min(this.#reached, (newest + 1) * DAY_HOURS) - 1;
    const days = this.#slices.wholeDays({ first: this.#first, last });
    if (days === undefined) return newest;
    this.#slices.addDays(days, this.#lines);
    this.#reached = days.first;
    return undefined;
  }

  /** Reads what the hours of a day have of their own; `reach` is told of each hour that is read. */
  *#readHours(
    day: number,
    lines: UsageLines,
    reach: (hour: number) => void,
  ): Generator<void, "time" | undefined> {
    const first = Math.max(this.#first, day * DAY_HOURS);
    let rest = Math.min(this.#reached, (day + 1) * DAY_HOURS) - 1;
    for (;;) {
      const hours = this.#slices.wholeHours({ first, last: rest });
      if (hours !== undefined) {
        this.#slices.addHours(hours, lines);
        rest = hours.first;
      } else {
        const hour = this.#newLines();
        const isOver = yield* this.#readAll((place) => this.#slices.addOfHour(rest, place, hour));
        if (!isOver) return "time";
        lines.take(hour);
      }
      reach(rest);
      if (--rest < first) return undefined;
      yield;
      if (this.#isLate()) return "time";
    }
  }

  /** Reads a day that is partly moved, none of whose hours is whole alone. In a transaction. */
  *#readDay(day: number): Generator<void, "time" | undefined> {
    const refused = this.#slices.partOfDay({ first: this.#first, last: this.#last });
    if (refused !== undefined) return undefined;
    const lines = this.#newLines();
    if ((yield* this.#readHours(day, lines, () => {})) !== undefined) return "time";
    const isOver = yield* this.#readAll((place) => this.#slices.addOfDay(day, place, lines));
    if (!isOver) return "time";
    this.#lines.take(lines);
    this.#reached = Math.max(this.#first, day * DAY_HOURS);
    return undefined;
  }

  /** Reads slice after slice; gives whether there was time for all. */
  *#readAll(add: (place: Place | undefined) => Place | undefined): Generator<void, boolean> {
    for (let place = add(undefined); place !== undefined; place = add(place)) {
      yield;
      if (this.#isLate()) return false;
    }
    return true;
  }
}
