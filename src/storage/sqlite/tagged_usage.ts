/**
 * Usage reports by tag: there are no sums of those, whose values nobody bounds, so calls are added up
 * one by one, newest first, in slices. Archived calls are not among them.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { UsageQuery, UsageReport } from "../ports/usage.ts";
import { FURTHER_MEMBER } from "./further_member.ts";
import { usageFilters } from "../rows/usage_filters.ts";
import { UsageLines } from "../rows/usage_lines.ts";
import { sumsOf, type UsageReportOptions } from "./usage_slices.ts";

const HOUR_MS = 3_600_000;
const MOST_LINES = 10_000;
/** Calls that one statement looks at. */
const SLICE_ROWS = 2_000;

/** One slice: the newest calls before a place, as rows of hourly sums with the tag in question. */
const SLICE = `SELECT closed_at, call_id, closed_at / ${HOUR_MS} AS hour, 1 AS calls, project_id,
    key_id, capability, model, provider, route, prompt_tokens, completion_tokens, cost_e8, sale_e8, charged_e8, loss_e8,
    further, CASE WHEN json_valid(further) THEN json_extract(further, ?5) END AS tag, result <> 'completed' AS failed_calls, cached_tokens,
    reasoning_tokens, coalesce(json_extract(iif(json_valid(further), further, '{}'), '$.work.imageOut'), 0) AS images,
    coalesce(json_extract(iif(json_valid(further), further, '{}'), '$.work.character'), 0) AS characters,
    coalesce(json_extract(iif(json_valid(further), further, '{}'), '$.work.audioSecond'), 0) AS audio_seconds,
    coalesce(json_extract(iif(json_valid(further), further, '{}'), '$.work.search'), 0)
      + coalesce(json_extract(iif(json_valid(further), further, '{}'), '$.work.searchUnit'), 0) AS searches,
    video_size IS NOT NULL AND state = 'settled' AS films,
    CASE WHEN video_size IS NULL OR state <> 'settled' THEN 0 ELSE
      CAST(round(video_seconds * coalesce(video_percent, 100) / 100.0) AS INTEGER) END AS film_seconds
  FROM calls INDEXED BY calls_further
  WHERE further IS NOT NULL AND closed_at IS NOT NULL
    AND (closed_at, call_id) < (?1, ?2) AND closed_at >= ?3
  ORDER BY closed_at DESC, call_id DESC LIMIT ?4`;

/** Adds up calls in whole hours, as reports from sums do. Yields between slices. */
export function* taggedUsageSteps(
  database: DatabaseSync,
  query: UsageQuery,
  { now = () => performance.now(), mostLines = MOST_LINES, sliceRows = SLICE_ROWS }:
    UsageReportOptions,
): Generator<void, UsageReport> {
  const endsAt = now() + (query.withinMs ?? Infinity);
  const lines = new UsageLines(query, mostLines);
  const { fromMs = 0, toMs, tag, tags = {} } = query;
  const firstMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const filters: readonly (readonly [condition: string, ...values: readonly string[]])[] = [
    ...(tag === undefined ? [] : [["tag IS NOT NULL"] as const]),
    ...usageFilters(query),
    ...Object.entries(tags).map(([name, value]) =>
      [`${FURTHER_MEMBER} = ?`, pathOf(name), value] as const
    ),
  ];
  const conditions = filters.map(([condition]) => `AND ${condition}`).join(" ");
  const prepare = (sql: string) => {
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    return statement;
  };
  const sums = (isWide: boolean) =>
    prepare(
      `SELECT ${
        lines.selection(isWide)
      } FROM (${SLICE}) WHERE true ${conditions} ${lines.grouping}`,
    );
  const statements = { quick: sums(false), wide: sums(true) };
  const last = prepare(
    `SELECT closed_at, call_id FROM (${SLICE}) ORDER BY closed_at, call_id LIMIT 1`,
  );
  const values = filters.flatMap(([, ...own]) => own);
  let place: readonly [closedAt: number, callId: number] = [
    toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS) * HOUR_MS,
    0,
  ];
  for (;;) {
    const slice = [...place, firstMs, sliceRows, pathOf(tag ?? "")] as const;
    const end = last.get(...slice);
    if (end === undefined) break;
    lines.add(sumsOf(statements, ...slice, ...values));
    place = [Number(end.closed_at), Number(end.call_id)];
    yield;
    if (now() < endsAt) continue;
    return { lines: lines.totals(), cut: { reason: "time", fromMs: place[0] + 1 } };
  }
  return { lines: lines.totals(), cut: lines.areCut ? { reason: "rows" } : undefined };
}

/** Where a call's further part has a tag. */
function pathOf(name: string): string {
  return `$.tags."${name.replaceAll('"', "")}"`;
}
