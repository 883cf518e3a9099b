/**
 * Kept answers of the Responses API.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { StoredResponse } from "../../domain/stored_response.ts";
import type { Entry } from "../ports/entry.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { AnswerName, STORES } from "../ports/storage.ts";
import { FORGOTTEN_BYTES, withinBytes } from "../rows/kept_row.ts";
import {
  COUNTED,
  type CountedRow,
  IS_FINISHED,
  isUnfinished,
  itemIdsOf,
  RESPONSE,
} from "../rows/response_row.ts";
import type { Ask, AskedRow } from "./ask.ts";
import type { PostgresKeptStore } from "./kept_store.ts";

type EvictionOrder = Extract<Entry, { readonly kind: "evict_responses" }>;

const REPLACE = "UPDATE stored_responses SET status = ?, body = ? WHERE call_id = ? AND id = ?";
const STILL_OPEN = "AND (status = 'queued' OR status = 'in_progress')";
const OF_PROJECT = "FROM stored_responses WHERE id = ? AND project_id = ?";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresResponseStore implements Asynchronous<typeof STORES.responses> {
  readonly #ask: Ask;
  readonly #kept: PostgresKeptStore;
  readonly #session: () => SessionId;

  /** @param options.session Whose is what is written. */
  constructor(
    ask: Ask,
    { kept, session }: { readonly kept: PostgresKeptStore; readonly session: () => SessionId },
  ) {
    this.#ask = ask;
    this.#kept = kept;
    this.#session = session;
  }

  async find({ projectId, responseId }: AnswerName): Promise<StoredResponse | undefined> {
    const sql = `SELECT ${RESPONSE.names} ${OF_PROJECT}`;
    return RESPONSE.readIfAny(await this.#ask.get(sql, responseId, projectId));
  }

  async size({ projectId, responseId }: AnswerName): Promise<number | undefined> {
    return (await this.#rowOf(responseId, projectId))?.bytes;
  }

  async conversationSize(
    { projectId, responseId, most }: AnswerName & { readonly most: number },
  ): Promise<number> {
    const row = await this.#ask.get(
      `WITH RECURSIVE turns(previous_id, bytes, place) AS (
         SELECT previous_id, octet_length(input) + octet_length(body), 1
         FROM stored_responses WHERE id = ?1 AND project_id = ?2
         UNION ALL
         SELECT r.previous_id, octet_length(r.input) + octet_length(r.body), turns.place + 1
         FROM turns JOIN stored_responses AS r ON r.id = turns.previous_id
         WHERE r.project_id = ?2 AND turns.place < ?3
       )
       SELECT coalesce(sum(bytes), 0) AS bytes FROM turns`,
      responseId,
      projectId,
      most,
    );
    return row!.bytes as number;
  }

  async unfinished(session: SessionId, limit: number): Promise<readonly StoredResponse[]> {
    const rows = await this.#ask.all(
      `SELECT ${RESPONSE.names} FROM stored_responses
       WHERE (status = 'queued' OR status = 'in_progress') AND session_id = ?
       ORDER BY call_id LIMIT ?`,
      session,
      limit,
    );
    return rows.map((row) => RESPONSE.read(row));
  }

  async owners(
    { projectId, itemIds }: { readonly projectId: string; readonly itemIds: readonly string[] },
  ): Promise<readonly (string | undefined)[]> {
    const rows = await this.#ask.all(
      `SELECT i.item_id, r.id FROM stored_response_items AS i
       JOIN stored_responses AS r ON r.call_id = i.call_id
       WHERE i.project_id = ? AND i.item_id = ANY(?) ORDER BY i.call_id`,
      projectId,
      // What no column holds was not stored.
      itemIds.filter((id) => !id.includes("\0")),
    );
    // Of several the newest, which comes last.
    const owners = new Map(rows.map(({ item_id, id }) => [item_id as string, id as string]));
    return itemIds.map((itemId) => owners.get(itemId));
  }

  /** Whether it was stored: there was none of its id or call. */
  async insert(response: StoredResponse): Promise<boolean> {
    const [row] = counted(
      await this.#ask.all(
        `${RESPONSE.insertInto("stored_responses", "session_id")}
         ON CONFLICT DO NOTHING RETURNING ${COUNTED}`,
        ...RESPONSE.values(response),
        this.#session(),
      ),
    );
    if (row === undefined) return false;
    await this.#count(undefined, row);
    await this.#keepItems(response);
    return true;
  }

  /** Whether there was one to replace. */
  replace(response: StoredResponse): Promise<boolean> {
    return this.#replace(response, `${REPLACE} RETURNING ${COUNTED}`);
  }

  /** Likewise one that has not ended: what another process has written as its end stays. */
  end(response: StoredResponse): Promise<boolean> {
    return this.#replace(response, `${REPLACE} ${STILL_OPEN} RETURNING ${COUNTED}`);
  }

  async #replace(response: StoredResponse, sql: string): Promise<boolean> {
    const { status, body, callId, id } = response;
    const before = await this.#rowOf(id, response.projectId);
    if (before === undefined) return false;
    const [row] = counted(
      await this.#ask.all(sql, status, body, callId, id),
    );
    if (row === undefined) return false;
    await this.#count(before, row);
    await this.#keepItems(response);
    return true;
  }

  /** Whether there was one to delete. */
  async delete(responseId: string, projectId: string): Promise<boolean> {
    const row = await this.#rowOf(responseId, projectId);
    if (row !== undefined) await this.#remove([row]);
    return row !== undefined;
  }

  /**
   * Removes answers that are expired at this time, the earliest first, no more of them nor of
   * their bytes than keeps other writes waiting for a moment; says whether more may be left.
   */
  async forgetExpired(untilMs: number, limit: number): Promise<boolean> {
    const rows = counted(
      await this.#ask.all(
        `SELECT ${COUNTED} FROM stored_responses WHERE expires_at <= ?
         ORDER BY expires_at, call_id LIMIT ?`,
        untilMs,
        limit,
      ),
    );
    const forgotten = withinBytes(rows, FORGOTTEN_BYTES);
    await this.#remove(forgotten);
    return forgotten.length < rows.length || forgotten.length === limit;
  }

  /**
   * Removes a project's oldest answers until it keeps no more than `mostBytes`, those alone
   * that have ended and were created before a time, and no more at once than
   * {@linkcode forgetExpired}; says whether that was too few.
   */
  async evict(
    { projectId, mostBytes, createdBefore }: EvictionOrder,
    limit: number,
  ): Promise<boolean> {
    const excess = await this.#kept.bytesOf(projectId) - mostBytes;
    if (excess <= 0) return false;
    const rows = counted(
      await this.#ask.all(
        `SELECT ${COUNTED} FROM stored_responses
         WHERE project_id = ? AND created_at < ? AND ${IS_FINISHED}
         ORDER BY created_at, call_id LIMIT ?`,
        projectId,
        createdBefore,
        limit,
      ),
    );
    const evicted = withinBytes(rows, Math.min(excess, FORGOTTEN_BYTES));
    await this.#remove(evicted);
    const isAtBounds = evicted.length < rows.length || evicted.length === limit;
    return isAtBounds && await this.#kept.bytesOf(projectId) > mostBytes;
  }

  async #rowOf(responseId: string, projectId: string): Promise<CountedRow | undefined> {
    return counted(
      await this.#ask.all(`SELECT ${COUNTED} ${OF_PROJECT}`, responseId, projectId),
    )[0];
  }

  async #remove(rows: readonly CountedRow[]): Promise<void> {
    if (rows.length === 0) return;
    await this.#ask.run(
      "DELETE FROM stored_responses WHERE call_id = ANY(?)",
      rows.map((row) => row.call_id),
    );
    for (const row of rows) {
      if (isUnfinished(row)) await this.#kept.add(row.project_id, { unfinished: -row.bytes });
    }
    await this.#kept.remove(rows, "responses");
  }

  async #count(before: CountedRow | undefined, after: CountedRow): Promise<void> {
    await this.#kept.add(after.project_id, {
      responses: after.bytes - (before?.bytes ?? 0),
      unfinished: (isUnfinished(after) ? after.bytes : 0) -
        (before !== undefined && isUnfinished(before) ? before.bytes : 0),
    });
  }

  async #keepItems({ projectId, callId, body }: StoredResponse): Promise<void> {
    const ids = itemIdsOf(body);
    if (ids.length === 0) return;
    await this.#ask.run(
      `INSERT INTO stored_response_items (project_id, item_id, call_id)
       SELECT ?::text, item_id, ?::bigint FROM unnest(?::text[]) AS item_id
       ON CONFLICT DO NOTHING`,
      projectId,
      callId,
      ids,
    );
  }
}

function counted(rows: readonly AskedRow[]): readonly CountedRow[] {
  return rows as unknown as readonly CountedRow[];
}
