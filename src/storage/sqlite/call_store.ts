/**
 * Calls and their hourly sums, read.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { StoredCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import type { UsageQuery, UsageReport } from "../ports/usage.ts";
import { CALL_COLUMNS, callFromRow, type CallRow } from "./call_row.ts";
import { readUsageReport } from "./usage_report.ts";

const COLUMNS = CALL_COLUMNS.join(", ");

/** How many rows one step of a backward scan looks at. */
const SCAN_ROWS = 10_000;

/** The port's reads over prepared statements. */
export class SqliteCallStore implements Synchronous<typeof STORES.calls> {
  readonly #database: DatabaseSync;
  readonly #last: StatementSync;
  readonly #find: StatementSync;
  readonly #open: StatementSync;
  readonly #abandoned: StatementSync;
  readonly #slice: StatementSync;
  readonly #closedBefore: StatementSync;
  readonly #stepBack: StatementSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#last = database.prepare(
      `SELECT max(coalesce((SELECT max(call_id) FROM calls), 0),
         coalesce((SELECT max(last_call_id) FROM checkpoints), 0)) AS call_id`,
    );
    this.#find = prepareCalls(database, "FROM calls WHERE call_id = ?");
    this.#open = prepareCalls(
      database,
      "FROM calls INDEXED BY calls_open WHERE state = 'open' ORDER BY call_id LIMIT ?",
    );
    this.#abandoned = prepareCalls(
      database,
      `FROM calls INDEXED BY calls_open WHERE state = 'open' AND session_id = ? AND NOT EXISTS (
         SELECT 1 FROM video_tasks
         WHERE video_tasks.call_id = calls.call_id AND status IN ('queued', 'in_progress'))
       ORDER BY call_id LIMIT ?`,
    );
    this.#slice = prepareCalls(database, "FROM calls WHERE call_id > ? ORDER BY call_id LIMIT ?");
    this.#closedBefore = prepareCalls(
      database,
      `FROM (SELECT * FROM calls WHERE call_id < ? ORDER BY call_id DESC LIMIT ${SCAN_ROWS})
       WHERE closed_at >= ? ORDER BY call_id DESC LIMIT ?`,
    );
    this.#stepBack = database.prepare(
      `SELECT call_id FROM calls WHERE call_id < ? ORDER BY call_id DESC LIMIT 1 OFFSET ${
        SCAN_ROWS - 1
      }`,
    );
  }

  lastCallId(): number {
    return this.#last.get()!.call_id as number;
  }

  find(callId: number): StoredCall | undefined {
    const row = this.#find.get(callId) as unknown as CallRow | undefined;
    return row === undefined ? undefined : callFromRow(row);
  }

  requestIdKey(): string {
    const statement = this.#database.prepare("SELECT value FROM meta WHERE name = ?");
    return statement.get("request_id_key")!.value as string;
  }

  openCalls(limit: number): readonly StoredCall[] {
    return toCalls(this.#open.all(limit));
  }

  abandonedCalls(session: SessionId, limit: number): readonly StoredCall[] {
    return toCalls(this.#abandoned.all(session, limit));
  }

  slice(afterCallId: number, limit: number): readonly StoredCall[] {
    return toCalls(this.#slice.all(afterCallId, limit));
  }

  /**
   * Walks back by call id, as there is no index on the time of closing, and
   * stops at the first stretch of 10,000 calls none of which closed in time.
   */
  closedSince(fromMs: number, limit: number): readonly StoredCall[] {
    const found: StoredCall[] = [];
    let before: number | undefined = Number.MAX_SAFE_INTEGER;
    while (before !== undefined && found.length < limit) {
      const rows = this.#closedBefore.all(before, fromMs, limit - found.length);
      if (rows.length === 0) break;
      for (const call of toCalls(rows)) found.push(call);
      before = this.#stepBack.get(before)?.call_id as number | undefined;
    }
    return found;
  }

  usageReport(query: UsageQuery): UsageReport {
    return readUsageReport(this.#database, query);
  }
}

/** Prepares the reading of whole calls, for {@linkcode toCalls}. */
export function prepareCalls(database: DatabaseSync, rest: string): StatementSync {
  const statement = database.prepare(`SELECT ${COLUMNS} ${rest}`);
  statement.setReadBigInts(true);
  return statement;
}

/** The calls that rows store. */
export function toCalls(rows: unknown[]): StoredCall[] {
  return (rows as CallRow[]).map(callFromRow);
}
