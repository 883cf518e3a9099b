/**
 * Kept answers of the Responses API as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import type { Entry } from "../ports/entry.ts";
import type { SessionId } from "../../domain/session.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { FORGOTTEN_BYTES, withinBytes } from "./forgotten_bytes.ts";
import type { SizedRow, SqliteKeptStore } from "./kept_store.ts";
import type { SqliteSessionStore } from "./session_store.ts";

interface ResponseRow {
  readonly call_id: number;
  readonly id: string;
  readonly project_id: string;
  readonly status: string;
  readonly is_background: number;
  readonly previous_id: string | null;
  readonly input: string;
  readonly body: string;
  readonly created_at: number;
  readonly expires_at: number;
}

/** What a row counts for, before it is changed or removed. */
interface CountedRow extends SizedRow {
  readonly call_id: number;
  readonly status: string;
}

type EvictionOrder = Extract<Entry, { readonly kind: "evict_responses" }>;

/** Asks for the size alone: the texts themselves are not read for it. */
const COUNTED = "call_id, project_id, status, octet_length(input) + octet_length(body) AS bytes";
const IS_FINISHED = "status <> 'queued' AND status <> 'in_progress'";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteResponseStore implements Synchronous<typeof STORES.responses> {
  readonly #kept: SqliteKeptStore;
  readonly #sessions: Pick<SqliteSessionStore, "live">;
  readonly #find: StatementSync;
  readonly #counted: StatementSync;
  readonly #conversationSize: StatementSync;
  readonly #oldest: StatementSync;
  readonly #unfinished: StatementSync;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;
  readonly #delete: StatementSync;
  readonly #expired: StatementSync;
  readonly #ownerOf: StatementSync;
  readonly #insertItems: StatementSync;

  constructor(
    database: DatabaseSync,
    { kept, sessions }: {
      readonly kept: SqliteKeptStore;
      readonly sessions: Pick<SqliteSessionStore, "live">;
    },
  ) {
    this.#kept = kept;
    this.#sessions = sessions;
    const columns =
      "call_id, id, project_id, status, is_background, previous_id, input, body, created_at, expires_at";
    this.#find = database.prepare(
      `SELECT ${columns} FROM stored_responses WHERE id = ? AND project_id = ?`,
    );
    this.#counted = database.prepare(
      `SELECT ${COUNTED} FROM stored_responses WHERE id = ? AND project_id = ?`,
    );
    this.#conversationSize = database.prepare(
      `WITH RECURSIVE turns(previous_id, bytes, place) AS (
         SELECT previous_id, octet_length(input) + octet_length(body), 1
         FROM stored_responses WHERE id = :id AND project_id = :project
         UNION ALL
         SELECT r.previous_id, octet_length(r.input) + octet_length(r.body), turns.place + 1
         FROM turns JOIN stored_responses AS r ON r.id = turns.previous_id
         WHERE r.project_id = :project AND turns.place < :most
       )
       SELECT coalesce(sum(bytes), 0) AS bytes FROM turns`,
    );
    this.#oldest = database.prepare(
      `SELECT ${COUNTED} FROM stored_responses INDEXED BY stored_responses_by_age
       WHERE project_id = ? AND created_at < ? AND ${IS_FINISHED} ORDER BY created_at LIMIT ?`,
    );
    this.#unfinished = database.prepare(
      `SELECT ${columns} FROM stored_responses INDEXED BY stored_responses_unfinished
       WHERE (status = 'queued' OR status = 'in_progress') AND session_id = ?
       ORDER BY call_id LIMIT ?`,
    );
    this.#insert = database.prepare(
      `INSERT INTO stored_responses (${columns}, session_id)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING RETURNING ${COUNTED}`,
    );
    this.#replace = database.prepare(
      `UPDATE stored_responses SET status = ?, body = ? WHERE call_id = ? AND id = ?
       RETURNING ${COUNTED}`,
    );
    this.#delete = database.prepare("DELETE FROM stored_responses WHERE call_id = ?");
    this.#expired = database.prepare(
      `SELECT ${COUNTED} FROM stored_responses WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`,
    );
    this.#ownerOf = database.prepare(
      `SELECT r.id FROM stored_response_items AS i JOIN stored_responses AS r USING (call_id)
       WHERE i.project_id = ? AND i.item_id = ? ORDER BY i.call_id DESC LIMIT 1`,
    );
    // An id of an upstream that is none is of no use to anyone: it is left out.
    this.#insertItems = database.prepare(
      `INSERT OR IGNORE INTO stored_response_items (project_id, item_id, call_id)
       SELECT ?, item.value ->> 'id', ? FROM json_each(?, '$.output') AS item
       WHERE item.type = 'object' AND typeof(item.value ->> 'id') = 'text'`,
    );
  }

  find(
    { projectId, responseId }: { readonly projectId: string; readonly responseId: string },
  ): StoredResponse | undefined {
    const row = this.#find.get(responseId, projectId) as unknown as ResponseRow | undefined;
    return row === undefined ? undefined : responseFromRow(row);
  }

  size(
    { projectId, responseId }: { readonly projectId: string; readonly responseId: string },
  ): number | undefined {
    return this.#rowOf(responseId, projectId)?.bytes;
  }

  conversationSize({ projectId, responseId, most }: {
    readonly projectId: string;
    readonly responseId: string;
    readonly most: number;
  }): number {
    const row = this.#conversationSize.get({ id: responseId, project: projectId, most });
    return (row as unknown as { readonly bytes: number }).bytes;
  }

  unfinished(session: SessionId, limit: number): readonly StoredResponse[] {
    return (this.#unfinished.all(session, limit) as unknown as ResponseRow[]).map(responseFromRow);
  }

  owners(
    { projectId, itemIds }: { readonly projectId: string; readonly itemIds: readonly string[] },
  ): readonly (string | undefined)[] {
    return itemIds.map((itemId) =>
      (this.#ownerOf.get(projectId, itemId) as { readonly id: string } | undefined)?.id
    );
  }

  /** Whether it was stored: there was none of its id or call. */
  insert(response: StoredResponse): boolean {
    const row = this.#insert.get(
      response.callId,
      response.id,
      response.projectId,
      response.status,
      response.isBackground ? 1 : 0,
      response.previousId ?? null,
      response.input,
      response.body,
      response.createdAt,
      response.expiresAt,
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
    const row = this.#replace.get(status, body, callId, id) as unknown as CountedRow | undefined;
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
    const rows = this.#expired.all(untilMs, limit) as unknown as CountedRow[];
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
    const rows = this.#oldest.all(projectId, createdBefore, limit) as unknown as CountedRow[];
    const evicted = withinBytes(rows, Math.min(excess, FORGOTTEN_BYTES));
    this.#remove(evicted);
    const isAtBounds = evicted.length < rows.length || evicted.length === limit;
    return isAtBounds && this.#kept.bytesOf(projectId) > mostBytes;
  }

  #rowOf(responseId: string, projectId: string): CountedRow | undefined {
    return this.#counted.get(responseId, projectId) as unknown as CountedRow | undefined;
  }

  #remove(rows: readonly CountedRow[]): void {
    for (const row of rows) {
      this.#delete.run(row.call_id);
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
    this.#insertItems.run(projectId, callId, body);
  }
}

function isUnfinished({ status }: CountedRow): boolean {
  return status === "queued" || status === "in_progress";
}

function responseFromRow(row: ResponseRow): StoredResponse {
  return {
    id: row.id,
    callId: row.call_id,
    projectId: row.project_id,
    status: row.status as ResponseStatus,
    isBackground: row.is_background === 1,
    previousId: row.previous_id ?? undefined,
    input: row.input,
    body: row.body,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
