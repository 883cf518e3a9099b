/**
 * Usage reports from detailed sums: by key, endpoint and hour, with what is bought besides tokens.
 * Newest first, some hours at a time. Hours whose details are not there are left out, and told of.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { UsageCut, UsageQuery, UsageReport } from "../ports/usage.ts";
import { usageFilters } from "./usage_filters.ts";
import { UsageLines } from "./usage_lines.ts";
import { sumsOf, type UsageReportOptions } from "./usage_slices.ts";

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
  const first = Math.max(asked, whole.hour);
  let before = toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS);
  while (before > first) {
    const hour = boundary.get(first, before, sliceRows)?.hour as number | undefined;
    const newest = hour === undefined ? undefined : boundary.get(first, before, 0)!.hour as number;
    // An hour that is cut through waits for the next slice, unless it is the newest.
    const from = hour === undefined ? first : hour === newest ? hour : hour + 1;
    lines.add(sumsOf(statements, from, before, ...values));
    before = from;
    yield;
    if (now() < endsAt || before <= first) continue;
    return { lines: lines.totals(), cut: { reason: "time", fromMs: before * HOUR_MS } };
  }
  return { lines: lines.totals(), cut: cutOf(lines, { asked, whole }) };
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
  { asked, whole: { hour, isUnderWay } }: { readonly asked: number; readonly whole: Whole },
): UsageCut | undefined {
  if (lines.areCut) return { reason: "rows" };
  return asked < hour ? { reason: "details", fromMs: hour * HOUR_MS, isUnderWay } : undefined;
}
