/**
 * Refused requests: sums by hour and the last ones of each project, both bounded for each project, so
 * that nobody's storm of refusals grows the database or pushes out another's.
 *
 * @module
 */

import {
  MOST_KEPT_REFUSED,
  MOST_REFUSAL_SUMS,
  REFUSAL_HOURS,
  type RefusalSum,
  type RefusedRequest,
} from "../../domain/refused_request.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { RefusalLine, RefusalQuery, RefusedPageQuery } from "../ports/refusals.ts";
import type { STORES } from "../ports/storage.ts";
import { REFUSAL_GROUPS, REQUEST } from "../rows/refused_row.ts";
import type { Ask } from "./ask.ts";
import { given } from "./conditions.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresRefusalStore implements Asynchronous<typeof STORES.refusals> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async find(callId: number, requestId: string): Promise<RefusedRequest | undefined> {
    const sql = `SELECT ${REQUEST.names} FROM refused_requests
      WHERE call_id = ? AND request_id = ?`;
    return REQUEST.readIfAny(await this.#ask.get(sql, callId, requestId));
  }

  async page(query: RefusedPageQuery): Promise<readonly RefusedRequest[]> {
    const conditions = given(
      ["call_id < ?", query.beforeCallId],
      ["project_id = ?", query.projectId],
      ["key_id = ?", query.keyId],
      ["capability = ?", query.capability],
      ["model = ?", query.model],
      ["reason = ?", query.reason],
      ["strpos(request_id, ?) > 0", query.idText],
      ["at >= ?", query.fromMs],
      ["at < ?", query.toMs],
    );
    const rows = await this.#ask.all(
      `SELECT ${REQUEST.names} FROM refused_requests
       WHERE ${conditions.sql} ORDER BY call_id DESC LIMIT ?`,
      ...conditions.values,
      query.limit,
    );
    return rows.map((row) => REQUEST.read(row));
  }

  async report(query: RefusalQuery): Promise<readonly RefusalLine[]> {
    const columns = query.by.flatMap((group) => REFUSAL_GROUPS[group]);
    const conditions = given(
      ["hour >= ?", query.fromHour],
      ["hour < ?", query.toHour],
      ["project_id = ?", query.projectId],
      ["key_id = ?", query.keyId],
      ["model = ?", query.model],
      ["reason = ?", query.reason],
    );
    const named = columns.map(([sql, name]) => `${sql} AS "${name}", `).join("");
    const groups = columns.length === 0 ? "" : `GROUP BY ${columns.map(([sql]) => sql).join(", ")}`;
    const rows = await this.#ask.all(
      `SELECT ${named} sum(refusals) AS refusals, max(last_at) AS "lastAt" FROM refusal_hourly
       WHERE ${conditions.sql} ${groups} HAVING sum(refusals) > 0
       ORDER BY sum(refusals) DESC, max(last_at) DESC LIMIT ?`,
      ...conditions.values,
      query.limit,
    );
    return rows as unknown as readonly RefusalLine[];
  }

  /** Adds to a sum. What would be one sum too many of a project and hour is counted by its reason alone. */
  async add(sum: RefusalSum): Promise<void> {
    const { hour, projectId, keyId, model, reason, why, refusals, lastAt } = sum;
    const key = [hour, projectId, keyId, model, reason, why] as const;
    const added = await this.#ask.run(
      `UPDATE refusal_hourly SET refusals = refusals + ?::bigint, last_at = greatest(last_at, ?)
       WHERE hour = ? AND project_id = ? AND key_id = ? AND model = ? AND reason = ? AND why = ?`,
      refusals,
      lastAt,
      ...key,
    );
    if (added > 0) return;
    const isPlain = keyId === "" && model === "" && why === "";
    const row = await this.#ask.get(
      "SELECT count(*) AS n FROM refusal_hourly WHERE hour = ? AND project_id = ?",
      hour,
      projectId,
    );
    // Reasons are words of this program, few of them: those alone may always be told apart.
    if ((row!.n as number) >= MOST_REFUSAL_SUMS && !isPlain) {
      return await this.add({ ...sum, keyId: "", model: "", why: "" });
    }
    await this.#ask.run(
      `INSERT INTO refusal_hourly
         (hour, project_id, key_id, model, reason, why, refusals, last_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
      ...key,
      refusals,
      lastAt,
    );
  }

  /** Keeps single requests, and of each of their projects no more than the last ones. */
  async keep(requests: readonly RefusedRequest[]): Promise<void> {
    for (const request of requests) {
      await this.#ask.run(REQUEST.insertInto("refused_requests"), ...REQUEST.values(request));
    }
    for (const projectId of new Set(requests.map((request) => request.projectId))) {
      await this.#ask.run(
        `DELETE FROM refused_requests WHERE project_id = ?1 AND call_id <= (
           SELECT call_id FROM refused_requests WHERE project_id = ?1
           ORDER BY call_id DESC LIMIT 1 OFFSET ${MOST_KEPT_REFUSED})`,
        projectId,
      );
    }
  }

  /** Forgets the oldest hour if nobody is told of it any more: one at a time, which is soon done. */
  async forget(nowHour: number): Promise<void> {
    const { hour } = (await this.#ask.get("SELECT min(hour) AS hour FROM refusal_hourly"))!;
    if (hour !== null && (hour as number) < nowHour - REFUSAL_HOURS) {
      await this.#ask.run("DELETE FROM refusal_hourly WHERE hour = ?", hour as number);
    }
  }
}
