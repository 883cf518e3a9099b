/**
 * Calls and their hourly sums, read.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { StoredCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { CallPage, CallPageQuery } from "../ports/call_pages.ts";
import type { LatencyQuery, LatencyReport } from "../ports/latency.ts";
import type { TagNamesQuery, UsageQuery, UsageReport } from "../ports/usage.ts";
import { readTagNames } from "./tag_names.ts";
import { readCallPage } from "./call_page.ts";
import { CALL_COLUMNS, callFromRow, type CallRow } from "../rows/call_row.ts";
import { readLatencyReport } from "./latency_report.ts";
import { prepareAll, prepareBigInts } from "./statements.ts";
import { readUsageReport } from "./usage_report.ts";

const CALL_NAMES = CALL_COLUMNS.join(", ");

/** SQL for calls with an id above a number, rising, at most so many, for {@linkcode toCalls}. */
export const CALLS_BEHIND = `SELECT ${CALL_NAMES} FROM calls
  WHERE call_id > ? ORDER BY call_id LIMIT ?`;

/** How many rows one step of a backward scan looks at. */
const SCAN_ROWS = 10_000;

/** The port's reads over prepared statements. */
export class SqliteCallStore implements Synchronous<typeof STORES.calls> {
  readonly #database: DatabaseSync;
  readonly #sql;
  readonly #calls;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = prepareAll(database, {
      last: `SELECT max(coalesce((SELECT max(call_id) FROM calls), 0),
        coalesce((SELECT max(last_call_id) FROM checkpoints), 0),
        coalesce((SELECT max(call_id) FROM refused_requests), 0)) AS call_id`,
      stepBack: `SELECT call_id FROM calls WHERE call_id < ? ORDER BY call_id DESC LIMIT 1 OFFSET ${
        SCAN_ROWS - 1
      }`,
      requestIdKey: "SELECT value FROM meta WHERE name = 'request_id_key'",
    });
    const open = `SELECT ${CALL_NAMES} FROM calls INDEXED BY calls_open WHERE state = 'open'`;
    this.#calls = prepareBigInts(database, {
      find: `SELECT ${CALL_NAMES} FROM calls WHERE call_id = ?`,
      open: `${open} ORDER BY call_id LIMIT ?`,
      abandoned: `${open} AND session_id = ? AND NOT EXISTS (
          SELECT 1 FROM video_tasks
          WHERE video_tasks.call_id = calls.call_id AND status IN ('queued', 'in_progress'))
        ORDER BY call_id LIMIT ?`,
      slice: CALLS_BEHIND,
      closedBefore: `SELECT ${CALL_NAMES}
        FROM (SELECT * FROM calls WHERE call_id < ? ORDER BY call_id DESC LIMIT ${SCAN_ROWS})
        WHERE closed_at >= ? ORDER BY call_id DESC LIMIT ?`,
    });
  }

  lastCallId(): number {
    return this.#sql.last.get()!.call_id as number;
  }

  find(callId: number): StoredCall | undefined {
    const row = this.#calls.find.get(callId) as unknown as CallRow | undefined;
    return row === undefined ? undefined : callFromRow(row);
  }

  requestIdKey(): string {
    return this.#sql.requestIdKey.get()!.value as string;
  }

  openCalls(limit: number): readonly StoredCall[] {
    return toCalls(this.#calls.open.all(limit));
  }

  abandonedCalls(session: SessionId, limit: number): readonly StoredCall[] {
    return toCalls(this.#calls.abandoned.all(session, limit));
  }

  slice(afterCallId: number, limit: number): readonly StoredCall[] {
    return toCalls(this.#calls.slice.all(afterCallId, limit));
  }

  /**
   * Walks back by call id, as there is no index on the time of closing, and
   * stops at the first stretch of 10,000 calls none of which closed in time.
   */
  closedSince(fromMs: number, limit: number): readonly StoredCall[] {
    const found: StoredCall[] = [];
    let before: number | undefined = Number.MAX_SAFE_INTEGER;
    while (before !== undefined && found.length < limit) {
      const rows = this.#calls.closedBefore.all(before, fromMs, limit - found.length);
      if (rows.length === 0) break;
      for (const call of toCalls(rows)) found.push(call);
      before = this.#sql.stepBack.get(before)?.call_id as number | undefined;
    }
    return found;
  }

  page(query: CallPageQuery): CallPage {
    return readCallPage(this.#database, query);
  }

  latencyReport(query: LatencyQuery): LatencyReport {
    return readLatencyReport(this.#database, query);
  }

  usageReport(query: UsageQuery): UsageReport {
    return readUsageReport(this.#database, query);
  }

  tagNames(query: TagNamesQuery): readonly string[] {
    return readTagNames(this.#database, query);
  }
}

/** The calls that rows store. */
export function toCalls(rows: unknown[]): StoredCall[] {
  return (rows as CallRow[]).map(callFromRow);
}
