/**
 * Usage reports from detailed sums: by key, endpoint and hour, with what is bought besides tokens.
 * Newest first, some hours at a time. Hours whose details are not there are left out, and told of; so
 * are those of archived days, which are kept by whole days, where single hours are asked for.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { UsageCut, UsageQuery, UsageReport } from "../ports/usage.ts";
import { usageFilters } from "../rows/usage_filters.ts";
import { UsageLines } from "../rows/usage_lines.ts";
import { FIRST_LIVE_HOUR } from "./old_details.ts";
import { DAY_HOURS, sumsOf, type UsageReportOptions } from "./usage_slices.ts";

const HOUR_MS = 3_600_000;
const MOST_LINES = 10_000;
/** Rows that one statement adds up, some milliseconds, but for an hour that has more. */
const SLICE_ROWS = 5_000;

/** Adds up whole hours. Yields between slices. */
export function* detailedUsageSteps(
  database: DatabaseSync,
  query: UsageQuery,
  { now = () => performance.now(), mostLines = MOST_LINES, sliceRows = SLICE_ROWS }:
    UsageReportOptions,
): Generator<void, UsageReport> {
  const endsAt = now() + (query.withinMs ?? Infinity);
  const lines = new UsageLines({ ...query, hasDetails: true }, mostLines);
  const { fromMs = 0, toMs } = query;
  const filters = usageFilters(query);
  const conditions = filters.map(([condition]) => `AND ${condition}`).join(" ");
  const values = filters.map(([, value]) => value);
  const sums = (isWide: boolean) => {
    const statement = database.prepare(
      `SELECT ${
        lines.selection(isWide)
      } FROM detail_hourly WHERE hour >= ? AND hour < ? ${conditions} ${lines.grouping}`,
    );
    statement.setReadBigInts(true);
    return statement;
  };
  const statements = { quick: sums(false), wide: sums(true) };
  // The hour in which so many rows end.
  const boundary = database.prepare(
    "SELECT hour FROM detail_hourly WHERE hour >= ? AND hour < ? ORDER BY hour DESC LIMIT 1 OFFSET ?",
  );
  const whole = wholeSince(database);
  const asked = Math.floor(fromMs / HOUR_MS);
  let before = toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS);
  const live = firstLiveHour(database);
  const byHour = query.groupBy.includes("hour");
  const edge = byHour ? undefined : partOfDay({ asked, before, live });
  if (edge !== undefined) return { lines: [], cut: edge };
  // Of what is archived there are whole days alone.
  const first = Math.max(asked, whole.hour, byHour ? live : 0);
  while (before > first) {
    const hour = boundary.get(first, before, sliceRows)?.hour as number | undefined;
    const newest = hour === undefined ? undefined : boundary.get(first, before, 0)!.hour as number;
    // An hour that is cut through waits for the next slice, unless it is the newest.
    const cut = hour === undefined ? first : hour === newest ? hour : hour + 1;
    const from = Math.max(first, cut < live ? wholeDay(cut, before) : cut);
    lines.add(sumsOf(statements, from, before, ...values));
    before = from;
    yield;
    if (now() < endsAt || before <= first) continue;
    return { lines: lines.totals(), cut: { reason: "time", fromMs: before * HOUR_MS } };
  }
  return {
    lines: lines.totals(),
    cut: cutOf(lines, { asked, whole, archived: byHour ? live : 0 }),
  };
}

/** Where a slice begins that is to have whole days: they may be moved to their first hour meanwhile. */
function wholeDay(cut: number, before: number): number {
  const next = Math.ceil(cut / DAY_HOURS) * DAY_HOURS;
  return next < before ? next : Math.floor(cut / DAY_HOURS) * DAY_HOURS;
}

/** The part of an archived day that is asked for, of which there is only the whole. */
function partOfDay(
  { asked, before, live }: {
    readonly asked: number;
    readonly before: number;
    readonly live: number;
  },
): UsageCut | undefined {
  const cutAt = (edge: "from" | "to", hour: number): UsageCut | undefined => {
    if (hour % DAY_HOURS === 0 || hour >= live) return undefined;
    return { reason: "days", edge, dayMs: Math.floor(hour / DAY_HOURS) * DAY_HOURS * HOUR_MS };
  };
  return cutAt("from", asked) ?? cutAt("to", before);
}

function firstLiveHour(database: DatabaseSync): number {
  return database.prepare(`SELECT ${FIRST_LIVE_HOUR} AS n`).get()!.n as number;
}

interface Whole {
  /** The first hour of which, and of all later ones, there is everything. */
  readonly hour: number;
  readonly isUnderWay: boolean;
}

function wholeSince(database: DatabaseSync): Whole {
  const statement = database.prepare(
    "SELECT CAST(value AS INTEGER) AS n FROM meta WHERE name = ?",
  );
  const sinceMs = statement.get("detail_whole_since")!.n as number;
  return {
    hour: Math.ceil(sinceMs / HOUR_MS),
    isUnderWay: statement.get("detail_backfill_seq")!.n !== 0,
  };
}

function cutOf(
  lines: UsageLines,
  { asked, whole: { hour, isUnderWay }, archived }: {
    readonly asked: number;
    readonly whole: Whole;
    /** Before it hours are not known apart, where they are asked for. */
    readonly archived: number;
  },
): UsageCut | undefined {
  if (lines.areCut) return { reason: "rows" };
  if (asked < archived && hour <= archived) {
    return { reason: "hours", fromMs: archived * HOUR_MS };
  }
  return asked < hour ? { reason: "details", fromMs: hour * HOUR_MS, isUnderWay } : undefined;
}
