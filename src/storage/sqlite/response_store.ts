/**
 * Kept answers of the Responses API as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ResponseStatus, StoredResponse } from "../../domain/stored_response.ts";
import type { ResponseStore } from "../ports/storage.ts";
import type { Synchronous } from "./synchronous.ts";

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

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteResponseStore implements Synchronous<ResponseStore> {
  readonly #find: StatementSync;
  readonly #size: StatementSync;
  readonly #unfinished: StatementSync;
  readonly #insert: StatementSync;
  readonly #replace: StatementSync;
  readonly #delete: StatementSync;
  readonly #forgetExpired: StatementSync;
  readonly #ownerOf: StatementSync;
  readonly #insertItems: StatementSync;

  constructor(database: DatabaseSync) {
    const columns =
      "call_id, id, project_id, status, is_background, previous_id, input, body, created_at, expires_at";
    this.#find = database.prepare(
      `SELECT ${columns} FROM stored_responses WHERE id = ? AND project_id = ?`,
    );
    // Of a text its length is in the row's head: nothing of it is read.
    this.#size = database.prepare(
      `SELECT octet_length(input) + octet_length(body) AS bytes
       FROM stored_responses WHERE id = ? AND project_id = ?`,
    );
    this.#unfinished = database.prepare(
      `SELECT ${columns} FROM stored_responses INDEXED BY stored_responses_unfinished
       WHERE status = 'queued' OR status = 'in_progress' ORDER BY call_id LIMIT ?`,
    );
    this.#insert = database.prepare(
      `INSERT INTO stored_responses (${columns}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT DO NOTHING`,
    );
    this.#replace = database.prepare(
      "UPDATE stored_responses SET status = ?, body = ? WHERE call_id = ? AND id = ?",
    );
    this.#delete = database.prepare(
      "DELETE FROM stored_responses WHERE id = ? AND project_id = ?",
    );
    this.#forgetExpired = database.prepare(
      `DELETE FROM stored_responses WHERE call_id IN (
         SELECT call_id FROM stored_responses WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
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
    return this.#size.get(responseId, projectId)?.bytes as number | undefined;
  }

  unfinished(limit: number): readonly StoredResponse[] {
    return (this.#unfinished.all(limit) as unknown as ResponseRow[]).map(responseFromRow);
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
    const isNew = this.#insert.run(
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
    ).changes === 1;
    if (isNew) this.#keepItems(response);
    return isNew;
  }

  /** Whether there was one to replace. */
  replace(response: StoredResponse): boolean {
    const { status, body, callId, id } = response;
    const isThere = this.#replace.run(status, body, callId, id).changes === 1;
    if (isThere) this.#keepItems(response);
    return isThere;
  }

  /** Whether there was one to delete. */
  delete(responseId: string, projectId: string): boolean {
    return this.#delete.run(responseId, projectId).changes === 1;
  }

  /** Removes answers that are expired at this time, the earliest first; gives their number. */
  forgetExpired(untilMs: number, limit: number): number {
    return Number(this.#forgetExpired.run(untilMs, limit).changes);
  }

  #keepItems({ projectId, callId, body }: StoredResponse): void {
    this.#insertItems.run(projectId, callId, body);
  }
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
