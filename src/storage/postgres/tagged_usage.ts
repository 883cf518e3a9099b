/**
 * Usage reports by tag: there are no sums of those, whose values nobody bounds, so calls are added up
 * one by one, newest first, in slices.
 *
 * @module
 */

import type { UsageQuery, UsageReport } from "../ports/usage.ts";
import { usageFilters } from "../rows/usage_filters.ts";
import { UsageLines } from "../rows/usage_lines.ts";
import type { Ask } from "./ask.ts";
import { POSTGRES_SUMS } from "./sum_dialect.ts";

const HOUR_MS = 3_600_000;
/** Calls that one statement looks at. */
const SLICE_ROWS = 5_000;

/** A count among the units that have no column of their own. */
function unit(name: string): string {
  return `coalesce((further::json -> 'work' ->> '${name}')::numeric, 0)`;
}

/** One slice: the newest calls before a place, as rows of hourly sums with the tag in question. */
const SLICE = `SELECT closed_at, call_id, closed_at / ${HOUR_MS} AS hour, 1 AS calls, project_id,
    key_id, capability, model, provider, route, prompt_tokens, completion_tokens, cost_e8, sale_e8,
    charged_e8, loss_e8, further::json -> 'tags' AS tags,
    further::json -> 'tags' ->> ?5::text AS tag,
    (result <> 'completed')::int AS failed_calls, cached_tokens, reasoning_tokens,
    ${unit("imageOut")} AS images, ${unit("character")} AS characters,
    ${unit("audioSecond")} AS audio_seconds, ${unit("search")} + ${unit("searchUnit")} AS searches,
    (video_size IS NOT NULL AND state = 'settled')::int AS films,
    CASE WHEN video_size IS NULL OR state <> 'settled' THEN 0 ELSE
      round(video_seconds * coalesce(video_percent, 100) / 100.0) END AS film_seconds
  FROM calls
  WHERE further IS NOT NULL AND closed_at IS NOT NULL
    AND (closed_at, call_id) < (?1::bigint, ?2::bigint) AND closed_at >= ?3::bigint
  ORDER BY closed_at DESC, call_id DESC LIMIT ?4::bigint`;

/** Adds up calls in whole hours, as reports from sums do. */
export async function readTaggedUsage(
  ask: Ask,
  query: UsageQuery,
  { isLate, mostLines }: { readonly isLate: () => boolean; readonly mostLines: number },
): Promise<UsageReport> {
  const lines = new UsageLines(query, mostLines, POSTGRES_SUMS);
  const { fromMs = 0, toMs, tag, tags = {} } = query;
  const firstMs = Math.floor(fromMs / HOUR_MS) * HOUR_MS;
  const values: string[] = [];
  const place = (value: string) => `?${values.push(value) + 5}::text`;
  const filters = [
    ...(tag === undefined ? [] : ["tag IS NOT NULL"]),
    ...usageFilters(query).map(([condition, value]) => condition.replace("?", place(value))),
    ...Object.entries(tags).map(([name, value]) => `tags ->> ${place(name)} = ${place(value)}`),
  ];
  const conditions = filters.map((condition) => `AND ${condition}`).join(" ");
  let behind: readonly [closedAt: number, callId: number] = [
    toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS) * HOUR_MS,
    0,
  ];
  for (;;) {
    const slice = [...behind, firstMs, SLICE_ROWS, tag ?? ""] as const;
    const end = await ask.get(
      `SELECT closed_at, call_id FROM (${SLICE}) AS slice ORDER BY closed_at, call_id LIMIT 1`,
      ...slice,
    );
    if (end === undefined) break;
    lines.add(
      await ask.allWide(
        `SELECT ${lines.selection(true)} FROM (${SLICE}) AS slice
         WHERE true ${conditions} ${lines.grouping}`,
        ...slice,
        ...values,
      ),
    );
    behind = [Number(end.closed_at), Number(end.call_id)];
    if (!isLate()) continue;
    return { lines: lines.totals(), cut: { reason: "time", fromMs: behind[0] + 1 } };
  }
  return { lines: lines.totals(), cut: lines.areCut ? { reason: "rows" } : undefined };
}
