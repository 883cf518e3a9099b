/**
 * Answers for repeated requests.
 *
 * @module
 */

import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import { ANSWER_ROW_BYTES } from "../../domain/kept_bytes.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { ANSWER } from "../rows/answer_rows.ts";
import { FORGOTTEN_BYTES, withinBytes } from "../rows/kept_row.ts";
import type { Ask } from "./ask.ts";
import { type PostgresKeptStore, sized } from "./kept_store.ts";

const SAME_KEY = "FROM stored_answers WHERE project_id = ? AND path = ? AND key = ?";
/** Asks for the size alone: the text itself is not sent for it. */
const BYTES = "coalesce(octet_length(body), 0) AS bytes";
/** What a row counts for. */
const COUNTED = `${ANSWER_ROW_BYTES} + ${BYTES}`;
const EXPIRED = `FROM stored_answers WHERE expires_at <= ?
  ORDER BY expires_at, project_id, path, key LIMIT ?`;

/**
 * Tells what a row counts for more than the one in whose place it is, and gives up the claim by which it
 * was made.
 */
const PUT = `WITH before AS (
    SELECT ${COUNTED} FROM stored_answers WHERE project_id = ?1 AND path = ?2 AND key = ?3),
  put AS (${numberedInsert()}
    ON CONFLICT (project_id, path, key) DO UPDATE SET ${ANSWER.replacements},
      tells_of = excluded.tells_of
    RETURNING request_id, ${COUNTED}),
  freed AS (DELETE FROM idempotency_claims WHERE project_id = ?1 AND path = ?2 AND key = ?3
    AND request_id = (SELECT request_id FROM put))
  SELECT put.bytes - coalesce((SELECT bytes FROM before), 0) AS bytes FROM put`;

function numberedInsert(): string {
  let next = 0;
  return ANSWER.insertInto("stored_answers", "tells_of").replaceAll("?", () => `?${++next}`);
}

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresAnswerStore implements Asynchronous<typeof STORES.answers> {
  readonly #ask: Ask;
  readonly #kept: PostgresKeptStore;

  constructor(ask: Ask, kept: PostgresKeptStore) {
    this.#ask = ask;
    this.#kept = kept;
  }

  async size({ projectId, path, key }: IdempotencyScope): Promise<number | undefined> {
    const row = await this.#ask.get(`SELECT ${BYTES} ${SAME_KEY}`, projectId, path, key);
    return row?.bytes as number | undefined;
  }

  async find({ projectId, path, key }: IdempotencyScope): Promise<IdempotencyRecord | undefined> {
    const sql = `SELECT ${ANSWER.names} ${SAME_KEY}`;
    return ANSWER.readIfAny(await this.#ask.get(sql, projectId, path, key));
  }

  /** When the stored answer expires; `undefined` if there is none. */
  async expiresAt({ projectId, path, key }: IdempotencyScope): Promise<number | undefined> {
    const row = await this.#ask.get(`SELECT expires_at ${SAME_KEY}`, projectId, path, key);
    return row?.expires_at as number | undefined;
  }

  /**
   * Stores an answer, in the place of one with the same key.
   *
   * @param tellsOf The video task or the response that it goes with, if it does.
   */
  async put(record: IdempotencyRecord, tellsOf: string | null = null): Promise<void> {
    const row = await this.#ask.get(PUT, ...ANSWER.values(record), tellsOf);
    await this.#kept.add(record.projectId, { answers: row!.bytes as number });
  }

  /**
   * Removes answers that are expired at this time, the earliest first, no more of them nor of
   * their bytes than keeps other writes waiting for a moment; says whether more may be left.
   */
  async forgetExpired(untilMs: number, limit: number): Promise<boolean> {
    const sizes = sized(
      await this.#ask.all(`SELECT project_id, ${COUNTED} ${EXPIRED}`, untilMs, limit),
    );
    const forgotten = withinBytes(sizes, FORGOTTEN_BYTES);
    await this.#ask.run(
      `DELETE FROM stored_answers WHERE (project_id, path, key) IN (
         SELECT project_id, path, key ${EXPIRED})`,
      untilMs,
      forgotten.length,
    );
    await this.#kept.remove(forgotten, "answers");
    return forgotten.length < sizes.length || forgotten.length === limit;
  }

  /** Removes the answers that tell of a video task or a response. */
  async forgetOf(subjectId: string): Promise<void> {
    const forgotten = sized(
      await this.#ask.all(
        `DELETE FROM stored_answers WHERE tells_of = ? RETURNING project_id, ${COUNTED}`,
        subjectId,
      ),
    );
    await this.#kept.remove(forgotten, "answers");
  }
}
