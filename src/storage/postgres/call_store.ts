/**
 * Calls and reports on them, read.
 *
 * @module
 */

import type { StoredCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { CallPage, CallPageQuery } from "../ports/call_pages.ts";
import type { LatencyQuery, LatencyReport } from "../ports/latency.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { TagNamesQuery, UsageQuery, UsageReport } from "../ports/usage.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LATENCY_COLUMNS, type LatencyRow, tallyLatency } from "../rows/latency_tally.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { readCallPage } from "./call_page.ts";
import { toCalls } from "./stored_calls.ts";
import { readTagNames } from "./tag_names.ts";
import { readUsageReport } from "./usage_report.ts";

const CALL_NAMES = CALL_COLUMNS.join(", ");
const OPEN_CALLS = `SELECT ${CALL_NAMES} FROM calls WHERE state = 'open'`;

/** How many rows one step of a backward scan looks at. */
const SCAN_ROWS = 10_000;

/** The port's reads. */
export class PostgresCallStore implements Asynchronous<typeof STORES.calls> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async lastCallId(): Promise<number> {
    const row = await this.#ask.get(
      `SELECT greatest(coalesce((SELECT max(call_id) FROM calls), 0),
         coalesce((SELECT max(call_id) FROM refused_requests), 0)) AS call_id`,
    );
    return row!.call_id as number;
  }

  async find(callId: number): Promise<StoredCall | undefined> {
    const [call] = toCalls(
      await this.#ask.allWide(`SELECT ${CALL_NAMES} FROM calls WHERE call_id = ?`, callId),
    );
    return call;
  }

  async requestIdKey(): Promise<string> {
    const sql = "SELECT value FROM cluster_meta WHERE name = 'request_id_key'";
    return (await this.#ask.get(sql))!.value as string;
  }

  async openCalls(limit: number): Promise<readonly StoredCall[]> {
    return toCalls(await this.#ask.allWide(`${OPEN_CALLS} ORDER BY call_id LIMIT ?`, limit));
  }

  async abandonedCalls(session: SessionId, limit: number): Promise<readonly StoredCall[]> {
    return toCalls(
      await this.#ask.allWide(
        `${OPEN_CALLS} AND session_id = ? AND NOT EXISTS (
           SELECT 1 FROM video_tasks
           WHERE video_tasks.call_id = calls.call_id AND status IN ('queued', 'in_progress'))
         ORDER BY call_id LIMIT ?`,
        session,
        limit,
      ),
    );
  }

  async slice(afterCallId: number, limit: number): Promise<readonly StoredCall[]> {
    return toCalls(
      await this.#ask.allWide(
        `SELECT ${CALL_NAMES} FROM calls WHERE call_id > ? ORDER BY call_id LIMIT ?`,
        afterCallId,
        limit,
      ),
    );
  }

  /**
   * Walks back by call id, as there is no index on the time of closing, and
   * stops at the first stretch of 10,000 calls none of which closed in time.
   */
  async closedSince(fromMs: number, limit: number): Promise<readonly StoredCall[]> {
    const found: StoredCall[] = [];
    let before: number | undefined = Number.MAX_SAFE_INTEGER;
    while (before !== undefined && found.length < limit) {
      const rows = await this.#ask.allWide(
        `SELECT ${CALL_NAMES}
         FROM (SELECT * FROM calls WHERE call_id < ? ORDER BY call_id DESC LIMIT ${SCAN_ROWS}) AS newest
         WHERE closed_at >= ? ORDER BY call_id DESC LIMIT ?`,
        before,
        fromMs,
        limit - found.length,
      );
      if (rows.length === 0) break;
      for (const call of toCalls(rows)) found.push(call);
      const step: AskedRow | undefined = await this.#ask.get(
        "SELECT call_id FROM calls WHERE call_id < ? ORDER BY call_id DESC LIMIT 1 OFFSET ?",
        before,
        SCAN_ROWS - 1,
      );
      before = step?.call_id as number | undefined;
    }
    return found;
  }

  page(query: CallPageQuery): Promise<CallPage> {
    return readCallPage(this.#ask, query);
  }

  async latencyReport(query: LatencyQuery): Promise<LatencyReport> {
    const rows = await this.#ask.all(
      `SELECT project_id, ${
        LATENCY_COLUMNS[query.by]
      } AS name, capability, result, opened_at, closed_at, first_byte_ms
       FROM calls ORDER BY call_id DESC LIMIT ?`,
      query.mostRows,
    );
    return tallyLatency(rows as unknown as readonly LatencyRow[], query);
  }

  usageReport(query: UsageQuery): Promise<UsageReport> {
    return readUsageReport(this.#ask, query);
  }

  tagNames(query: TagNamesQuery): Promise<readonly string[]> {
    return readTagNames(this.#ask, query);
  }
}
