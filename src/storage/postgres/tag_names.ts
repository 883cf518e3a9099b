/**
 * Which tags calls have: of the newest ones that have anything of the kind, a bounded number.
 *
 * @module
 */

import type { TagNamesQuery } from "../ports/usage.ts";
import { usageFilters } from "../rows/usage_filters.ts";
import type { Ask } from "./ask.ts";

const HOUR_MS = 3_600_000;
/** Calls that are looked at, some ten milliseconds. */
const MOST_CALLS = 20_000;

/** The names, the most used first; times count in whole hours, as in reports. */
export async function readTagNames(ask: Ask, query: TagNamesQuery): Promise<readonly string[]> {
  const { fromMs = 0, toMs, limit } = query;
  const filters = usageFilters(query);
  const rows = await ask.all(
    `SELECT name FROM (
       SELECT further, project_id, key_id, capability, model, provider, route
       FROM calls
       WHERE further IS NOT NULL AND closed_at IS NOT NULL AND closed_at >= ? AND closed_at < ?
       ORDER BY closed_at DESC, call_id DESC LIMIT ${MOST_CALLS}
     ) AS newest CROSS JOIN LATERAL json_object_keys(coalesce(further::json -> 'tags', '{}')) AS name
     WHERE true ${filters.map(([condition]) => `AND ${condition}`).join(" ")}
     GROUP BY name ORDER BY count(*) DESC, name COLLATE "C" LIMIT ?`,
    Math.floor(fromMs / HOUR_MS) * HOUR_MS,
    toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(toMs / HOUR_MS) * HOUR_MS,
    ...filters.map(([, value]) => value),
    limit,
  );
  return rows.map(({ name }) => name as string);
}
