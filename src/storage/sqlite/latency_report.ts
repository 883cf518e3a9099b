/**
 * Reads how fast the last calls were. There is no index of times: rows are looked at from the newest
 * back, no more than asked for.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { LatencyQuery, LatencyReport } from "../ports/latency.ts";
import { LATENCY_COLUMNS, type LatencyRow, tallyLatency } from "../rows/latency_tally.ts";

/** The report; at once, in this thread. */
export function readLatencyReport(database: DatabaseSync, query: LatencyQuery): LatencyReport {
  const rows = database.prepare(
    `SELECT project_id, ${
      LATENCY_COLUMNS[query.by]
    } AS name, capability, result, opened_at, closed_at, first_byte_ms
     FROM calls ORDER BY call_id DESC LIMIT ?`,
  ).iterate(query.mostRows);
  return tallyLatency(rows as Iterable<unknown> as Iterable<LatencyRow>, query);
}
