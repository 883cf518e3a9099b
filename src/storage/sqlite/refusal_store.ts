/**
 * Refused requests: sums by hour and the last ones of each project, both bounded for each project, so
 * that nobody's storm of refusals grows the database or pushes out another's.
 *
 * @module
 */

import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import {
  MOST_KEPT_REFUSED,
  MOST_REFUSAL_SUMS,
  REFUSAL_HOURS,
  type RefusalSum,
  type RefusedRequest,
} from "../../domain/refused_request.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { RefusalLine, RefusalQuery, RefusedPageQuery } from "../ports/refusals.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll } from "./statements.ts";
import { REFUSAL_GROUPS as GROUPS, REQUEST } from "../rows/refused_row.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteRefusalStore implements Synchronous<typeof STORES.refusals> {
  readonly #database: DatabaseSync;
  readonly #sql;

  constructor(database: DatabaseSync) {
    this.#database = database;
    const group =
      "hour = ? AND project_id = ? AND key_id = ? AND model = ? AND reason = ? AND why = ?";
    this.#sql = prepareAll(database, {
      find: `SELECT ${REQUEST.names} FROM refused_requests WHERE call_id = ? AND request_id = ?`,
      add:
        `UPDATE refusal_hourly SET refusals = refusals + ?, last_at = max(last_at, ?) WHERE ${group}`,
      count: `SELECT count(*) AS n FROM refusal_hourly WHERE hour = ? AND project_id = ?`,
      insert: `INSERT INTO refusal_hourly
        (hour, project_id, key_id, model, reason, why, refusals, last_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      oldest: "SELECT min(hour) AS hour FROM refusal_hourly",
      forgetHour: "DELETE FROM refusal_hourly WHERE hour = ?",
      keep: REQUEST.insertInto("refused_requests"),
      trim: `DELETE FROM refused_requests WHERE project_id = ? AND call_id <= (
        SELECT call_id FROM refused_requests INDEXED BY refused_requests_by_project
        WHERE project_id = ? ORDER BY call_id DESC LIMIT 1 OFFSET ${MOST_KEPT_REFUSED})`,
    });
  }

  find(callId: number, requestId: string): RefusedRequest | undefined {
    return REQUEST.readIfAny(this.#sql.find.get(callId, requestId));
  }

  page(query: RefusedPageQuery): readonly RefusedRequest[] {
    const conditions = given([
      ["call_id < ?", query.beforeCallId],
      ["project_id = ?", query.projectId],
      ["key_id = ?", query.keyId],
      ["capability = ?", query.capability],
      ["model = ?", query.model],
      ["reason = ?", query.reason],
      ["instr(request_id, ?) > 0", query.idText],
      ["at >= ?", query.fromMs],
      ["at < ?", query.toMs],
    ]);
    const index = query.projectId === undefined ? "by_call" : "by_project";
    const rows = this.#database.prepare(
      `SELECT ${REQUEST.names} FROM refused_requests INDEXED BY refused_requests_${index}
       WHERE ${conditions.sql} ORDER BY call_id DESC LIMIT ?`,
    ).all(...conditions.values, query.limit);
    return rows.map((row) => REQUEST.read(row));
  }

  report(query: RefusalQuery): readonly RefusalLine[] {
    const columns = query.by.flatMap((group) => GROUPS[group]);
    const conditions = given([
      ["hour >= ?", query.fromHour],
      ["hour < ?", query.toHour],
      ["project_id = ?", query.projectId],
      ["key_id = ?", query.keyId],
      ["model = ?", query.model],
      ["reason = ?", query.reason],
    ]);
    const named = columns.map(([sql, name]) => `${sql} AS "${name}", `).join("");
    const groups = columns.length === 0 ? "" : `GROUP BY ${columns.map(([sql]) => sql).join(", ")}`;
    const rows = this.#database.prepare(
      `SELECT ${named} sum(refusals) AS refusals, max(last_at) AS "lastAt" FROM refusal_hourly
       WHERE ${conditions.sql} ${groups} HAVING sum(refusals) > 0
       ORDER BY refusals DESC, "lastAt" DESC LIMIT ?`,
    ).all(...conditions.values, query.limit);
    return rows.map((row) => ({ ...row }) as unknown as RefusalLine);
  }

  /** Adds to a sum. What would be one sum too many of a project and hour is counted by its reason alone. */
  add(sum: RefusalSum): void {
    const { hour, projectId, keyId, model, reason, why, refusals, lastAt } = sum;
    if (
      this.#sql.add.run(refusals, lastAt, hour, projectId, keyId, model, reason, why).changes > 0
    ) {
      return;
    }
    const isPlain = keyId === "" && model === "" && why === "";
    const { n } = this.#sql.count.get(hour, projectId)!;
    // Reasons are words of this program, few of them: those alone may always be told apart.
    if ((n as number) >= MOST_REFUSAL_SUMS && !isPlain) {
      return this.add({ ...sum, keyId: "", model: "", why: "" });
    }
    this.#sql.insert.run(hour, projectId, keyId, model, reason, why, refusals, lastAt);
  }

  /** Keeps single requests, and of each of their projects no more than the last ones. */
  keep(requests: readonly RefusedRequest[]): void {
    for (const request of requests) this.#sql.keep.run(...REQUEST.values(request));
    for (const projectId of new Set(requests.map((request) => request.projectId))) {
      this.#sql.trim.run(projectId, projectId);
    }
  }

  /** Forgets the oldest hour if nobody is told of it any more: one at a time, which is soon done. */
  forget(nowHour: number): void {
    const { hour } = this.#sql.oldest.get()!;
    if (hour !== null && (hour as number) < nowHour - REFUSAL_HOURS) {
      this.#sql.forgetHour.run(hour as number);
    }
  }
}

/** Conditions with their values; those that have none are left out. */
function given(
  all: readonly (readonly [sql: string, value: SQLInputValue | undefined])[],
): { readonly sql: string; readonly values: readonly SQLInputValue[] } {
  const some = all.filter(([, value]) => value !== undefined);
  return {
    sql: some.length === 0 ? "TRUE" : some.map(([sql]) => sql).join(" AND "),
    values: some.map(([, value]) => value!),
  };
}
