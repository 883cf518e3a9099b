/**
 * Which tags calls have: of the newest ones that have anything of the kind, a bounded number.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { TagNamesQuery } from "../ports/usage.ts";
import { usageFilters } from "../rows/usage_filters.ts";

const HOUR_MS = 3_600_000;
/** Calls that are looked at, some ten milliseconds. */
const MOST_CALLS = 20_000;

/** The names, the most used first; times count in whole hours, as in reports. */
export function readTagNames(database: DatabaseSync, query: TagNamesQuery): readonly string[] {
  const { fromMs = 0, toMs, limit } = query;
  const filters = usageFilters(query);
  const rows = database.prepare(
    `SELECT tags.key AS name FROM (
       SELECT further, project_id, key_id, capability, model, provider, route
       FROM calls INDEXED BY calls_further
       WHERE further IS NOT NULL AND closed_at IS NOT NULL AND closed_at >= ? AND closed_at < ?
       ORDER BY closed_at DESC, call_id DESC LIMIT ${MOST_CALLS}
     ) CROSS JOIN json_each(iif(json_valid(further), further, '{}'), '$.tags') AS tags
     WHERE true ${filters.map(([condition]) => `AND ${condition}`).join(" ")}
     GROUP BY tags.key ORDER BY count(*) DESC, tags.key LIMIT ?`,
  ).all(
    Math.floor(fromMs / HOUR_MS) * HOUR_MS,
    toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS) * HOUR_MS,
    ...filters.map(([, value]) => value),
    limit,
  );
  return rows.map(({ name }) => name as string);
}
