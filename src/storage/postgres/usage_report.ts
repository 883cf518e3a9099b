/**
 * Usage reports, newest first, some weeks at a time: the server adds up, and a report that takes too
 * long ends with whole hours.
 *
 * @module
 */

import { isByTag, isDetailed, type UsageQuery, type UsageReport } from "../ports/usage.ts";
import { usageFilters } from "../rows/usage_filters.ts";
import { UsageLines } from "../rows/usage_lines.ts";
import type { Ask } from "./ask.ts";
import { PostgresSumStore } from "./sum_store.ts";
import { POSTGRES_SUMS } from "./sum_dialect.ts";
import { readTaggedUsage } from "./tagged_usage.ts";

/** What a test may choose otherwise. */
export interface UsageReportOptions {
  /** Milliseconds that only go forward. */
  readonly now?: () => number;
  readonly mostLines?: number;
  /** Hours that one statement adds up. */
  readonly sliceHours?: number;
}

const HOUR_MS = 3_600_000;
/** More lines than a report can be read. */
const MOST_LINES = 10_000;
const SLICE_HOURS = 31 * 24;

/**
 * Adds up whole hours: `fromMs` counts from the start of its hour, `toMs` to the end of its own,
 * unless it is the start of an hour.
 */
export async function readUsageReport(
  ask: Ask,
  query: UsageQuery,
  { now = () => performance.now(), mostLines = MOST_LINES, sliceHours = SLICE_HOURS }:
    UsageReportOptions = {},
): Promise<UsageReport> {
  const isLate = lateAfter(query, now);
  if (isByTag(query)) return await readTaggedUsage(ask, query, { isLate, mostLines });
  const isOfDetails = isDetailed(query);
  const lines = new UsageLines(
    isOfDetails ? { ...query, hasDetails: true } : query,
    mostLines,
    POSTGRES_SUMS,
  );
  const table = isOfDetails ? "detail_hourly" : "usage_hourly";
  const filters = usageFilters(query);
  const conditions = filters.map(([condition]) => `AND ${condition}`).join(" ");
  const values = filters.map(([, value]) => value);
  const { fromMs = 0, toMs } = query;
  const first = Math.floor(fromMs / HOUR_MS);
  let before = toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS);
  for (;;) {
    const newest = await ask.get(
      `SELECT max(hour) AS hour FROM ${table} WHERE hour >= ? AND hour < ?`,
      first,
      before,
    );
    const last = newest!.hour as number | null;
    if (last === null) break;
    if (isLate()) {
      return { lines: lines.totals(), cut: { reason: "time", fromMs: before * HOUR_MS } };
    }
    const from = Math.max(first, last - sliceHours + 1);
    const rows = await ask.allWide(
      `SELECT ${lines.selection(true)} FROM ${table}
       WHERE hour >= ? AND hour <= ? ${conditions} ${lines.grouping}`,
      from,
      last,
      ...values,
    );
    lines.add(rows);
    before = from;
  }
  if (lines.areCut) return { lines: lines.totals(), cut: { reason: "rows" } };
  const wholeHour = isOfDetails ? await detailsSince(ask) : 0;
  return {
    lines: lines.totals(),
    cut: first < wholeHour
      ? { reason: "details", fromMs: wholeHour * HOUR_MS, isUnderWay: false }
      : undefined,
  };
}

/** The first hour of which there are all details, where the database was moved here from an older one. */
async function detailsSince(ask: Ask): Promise<number> {
  return Math.ceil(await new PostgresSumStore(ask).detailsWholeSince() / HOUR_MS);
}

function lateAfter({ withinMs = Infinity }: UsageQuery, now: () => number): () => boolean {
  const endsAt = now() + withinMs;
  return () => now() >= endsAt;
}
