/**
 * Kept answers of the Responses API as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { Entry } from "../ports/entry.ts";
import type { SessionId } from "../../domain/session.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { AnswerName, STORES } from "../ports/storage.ts";
import { FORGOTTEN_BYTES, withinBytes } from "../rows/kept_row.ts";
import type { SqliteKeptStore } from "./kept_store.ts";
import { prepareAll } from "./statements.ts";
import type { SqliteSessionStore } from "./session_store.ts";
import {
  COUNTED,
  type CountedRow,
  IS_FINISHED,
  isUnfinished,
  RESPONSE,
} from "../rows/response_row.ts";

type EvictionOrder = Extract<Entry, { readonly kind: "evict_responses" }>;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteResponseStore implements Synchronous<typeof STORES.responses> {
  readonly #kept: SqliteKeptStore;
  readonly #sessions: Pick<SqliteSessionStore, "live">;
  readonly #sql;

  constructor(
    database: DatabaseSync,
    { kept, sessions }: {
      readonly kept: SqliteKeptStore;
      readonly sessions: Pick<SqliteSessionStore, "live">;
    },
  ) {
    this.#kept = kept;
    this.#sessions = sessions;
    const ofProject = "FROM stored_responses WHERE id = ? AND project_id = ?";
    this.#sql = prepareAll(database, {
      find: `SELECT ${RESPONSE.names} ${ofProject}`,
      counted: `SELECT ${COUNTED} ${ofProject}`,
      conversationSize: `WITH RECURSIVE turns(previous_id, bytes, place) AS (
          SELECT previous_id, octet_length(input) + octet_length(body), 1
          FROM stored_responses WHERE id = :id AND project_id = :project
          UNION ALL
          SELECT r.previous_id, octet_length(r.input) + octet_length(r.body), turns.place + 1
          FROM turns JOIN stored_responses AS r ON r.id = turns.previous_id
          WHERE r.project_id = :project AND turns.place < :most
        )
        SELECT coalesce(sum(bytes), 0) AS bytes FROM turns`,
      oldest: `SELECT ${COUNTED} FROM stored_responses INDEXED BY stored_responses_by_age
        WHERE project_id = ? AND created_at < ? AND ${IS_FINISHED} ORDER BY created_at LIMIT ?`,
      unfinished: `SELECT ${RESPONSE.names}
        FROM stored_responses INDEXED BY stored_responses_unfinished
        WHERE (status = 'queued' OR status = 'in_progress') AND session_id = ?
        ORDER BY call_id LIMIT ?`,
      insert: `${RESPONSE.insertInto("stored_responses", "session_id")}
        ON CONFLICT DO NOTHING RETURNING ${COUNTED}`,
      replace: `UPDATE stored_responses SET status = ?, body = ? WHERE call_id = ? AND id = ?
        RETURNING ${COUNTED}`,
      delete: "DELETE FROM stored_responses WHERE call_id = ?",
      expired: `SELECT ${COUNTED} FROM stored_responses WHERE expires_at <= ?
        ORDER BY expires_at LIMIT ?`,
      ownerOf:
        `SELECT r.id FROM stored_response_items AS i JOIN stored_responses AS r USING (call_id)
        WHERE i.project_id = ? AND i.item_id = ? ORDER BY i.call_id DESC LIMIT 1`,
      // An id of an upstream that is none is of no use to anyone: it is left out.
      insertItems: `INSERT OR IGNORE INTO stored_response_items (project_id, item_id, call_id)
        SELECT ?, item.value ->> 'id', ? FROM json_each(?, '$.output') AS item
        WHERE item.type = 'object' AND typeof(item.value ->> 'id') = 'text'`,
    });
  }

  find({ projectId, responseId }: AnswerName): StoredResponse | undefined {
    return RESPONSE.readIfAny(this.#sql.find.get(responseId, projectId));
  }

  size({ projectId, responseId }: AnswerName): number | undefined {
    return this.#rowOf(responseId, projectId)?.bytes;
  }

  conversationSize(
    { projectId, responseId, most }: AnswerName & { readonly most: number },
  ): number {
    const row = this.#sql.conversationSize.get({ id: responseId, project: projectId, most });
    return (row as unknown as { readonly bytes: number }).bytes;
  }

  unfinished(session: SessionId, limit: number): readonly StoredResponse[] {
    return this.#sql.unfinished.all(session, limit).map((row) => RESPONSE.read(row));
  }

  owners(
    { projectId, itemIds }: { readonly projectId: string; readonly itemIds: readonly string[] },
  ): readonly (string | undefined)[] {
    return itemIds.map((itemId) =>
      (this.#sql.ownerOf.get(projectId, itemId) as { readonly id: string } | undefined)?.id
    );
  }

  /** Whether it was stored: there was none of its id or call. */
  insert(response: StoredResponse): boolean {
    const row = this.#sql.insert.get(
      ...RESPONSE.values(response),
      this.#sessions.live,
    ) as unknown as CountedRow | undefined;
    if (row === undefined) return false;
    this.#count(undefined, row);
    this.#keepItems(response);
    return true;
  }

  /** Whether there was one to replace. */
  replace(response: StoredResponse): boolean {
    const { status, body, callId, id } = response;
    const before = this.#rowOf(id, response.projectId);
    if (before === undefined) return false;
    const row = this.#sql.replace.get(status, body, callId, id) as unknown as
      | CountedRow
      | undefined;
    if (row === undefined) return false;
    this.#count(before, row);
    this.#keepItems(response);
    return true;
  }

  /** Whether there was one to delete. */
  delete(responseId: string, projectId: string): boolean {
    const row = this.#rowOf(responseId, projectId);
    if (row !== undefined) this.#remove([row]);
    return row !== undefined;
  }

  /**
   * Removes answers that are expired at this time, the earliest first, no more of them nor of
   * their bytes than keeps other writes waiting for a moment; says whether more may be left.
   */
  forgetExpired(untilMs: number, limit: number): boolean {
    const rows = this.#sql.expired.all(untilMs, limit) as unknown as CountedRow[];
    const forgotten = withinBytes(rows, FORGOTTEN_BYTES);
    this.#remove(forgotten);
    return forgotten.length < rows.length || forgotten.length === limit;
  }

  /**
   * Removes a project's oldest answers until it keeps no more than `mostBytes`, those alone
   * that have ended and were created before a time, and no more at once than
   * {@linkcode forgetExpired}; says whether that was too few.
   */
  evict({ projectId, mostBytes, createdBefore }: EvictionOrder, limit: number): boolean {
    const excess = this.#kept.bytesOf(projectId) - mostBytes;
    if (excess <= 0) return false;
    const rows = this.#sql.oldest.all(projectId, createdBefore, limit) as unknown as CountedRow[];
    const evicted = withinBytes(rows, Math.min(excess, FORGOTTEN_BYTES));
    this.#remove(evicted);
    const isAtBounds = evicted.length < rows.length || evicted.length === limit;
    return isAtBounds && this.#kept.bytesOf(projectId) > mostBytes;
  }

  #rowOf(responseId: string, projectId: string): CountedRow | undefined {
    return this.#sql.counted.get(responseId, projectId) as unknown as CountedRow | undefined;
  }

  #remove(rows: readonly CountedRow[]): void {
    for (const row of rows) {
      this.#sql.delete.run(row.call_id);
      if (isUnfinished(row)) this.#kept.add(row.project_id, { unfinished: -row.bytes });
    }
    this.#kept.remove(rows, "responses");
  }

  #count(before: CountedRow | undefined, after: CountedRow): void {
    this.#kept.add(after.project_id, {
      responses: after.bytes - (before?.bytes ?? 0),
      unfinished: (isUnfinished(after) ? after.bytes : 0) -
        (before !== undefined && isUnfinished(before) ? before.bytes : 0),
    });
  }

  #keepItems({ projectId, callId, body }: StoredResponse): void {
    this.#sql.insertItems.run(projectId, callId, body);
  }
}
