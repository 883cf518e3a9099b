/**
 * Answers that equal requests get again. What they may take is kept to project by project: the oldest
 * make way. They are lost without harm: a request whose answer is gone is made again.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { CACHED_ANSWER, CACHED_ROW_BYTES } from "../rows/answer_rows.ts";
import type { Ask } from "./ask.ts";

const SAME_KEY = "FROM cached_answers WHERE project_id = ? AND path = ? AND key = ?";
/** Rows that make way at a time. */
const STEP_ROWS = 16;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresCachedAnswerStore implements Asynchronous<typeof STORES.cached> {
  readonly #ask: Ask;
  /** By project; what is not here is added up when it is asked for. */
  readonly #bytes = new Map<string, number>();

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async size({ projectId, path, key }: IdempotencyScope): Promise<number | undefined> {
    const row = await this.#ask.get(`SELECT bytes ${SAME_KEY}`, projectId, path, key);
    return row?.bytes as number | undefined;
  }

  async find({ projectId, path, key }: IdempotencyScope): Promise<IdempotencyRecord | undefined> {
    const sql = `SELECT ${CACHED_ANSWER.names} ${SAME_KEY}`;
    return CACHED_ANSWER.readIfAny(await this.#ask.get(sql, projectId, path, key));
  }

  /** Stores an answer in the place of an equal request's; one without a body is not stored. */
  async put({ body, cacheBytes = 0, ...record }: IdempotencyRecord): Promise<void> {
    if (body === undefined) return;
    const { projectId } = record;
    const bytes = Buffer.byteLength(body) + CACHED_ROW_BYTES;
    await this.#ask.run(
      `${CACHED_ANSWER.insertInto("cached_answers", "bytes")}
       ON CONFLICT (project_id, path, key) DO UPDATE SET ${CACHED_ANSWER.replacements},
         bytes = excluded.bytes`,
      ...CACHED_ANSWER.values({ ...record, body }),
      bytes,
    );
    const known = this.#bytes.get(projectId);
    const sum = known === undefined ? await this.#sum(projectId) : known + bytes;
    this.#bytes.set(projectId, sum);
    if (sum > cacheBytes) await this.#makeRoom(projectId, cacheBytes);
  }

  /** Removes answers that are expired at this time, at most so many; says whether more may be left. */
  async forgetExpired(untilMs: number, limit: number): Promise<boolean> {
    const forgotten = await this.#ask.run(
      `DELETE FROM cached_answers WHERE (project_id, path, key) IN (
         SELECT project_id, path, key FROM cached_answers WHERE expires_at <= ?
         ORDER BY expires_at LIMIT ?)`,
      untilMs,
      limit,
    );
    if (forgotten > 0) this.#bytes.clear();
    return forgotten === limit;
  }

  /** What was counted may have been rolled back, or replaced: it is added up again first. */
  async #makeRoom(projectId: string, mostBytes: number): Promise<void> {
    let sum = await this.#sum(projectId);
    while (sum > mostBytes) {
      const gone = await this.#ask.all(
        `DELETE FROM cached_answers WHERE (project_id, path, key) IN (
           SELECT project_id, path, key FROM cached_answers WHERE project_id = ?
           ORDER BY created_at LIMIT ${STEP_ROWS}) RETURNING bytes`,
        projectId,
      );
      if (gone.length === 0) break;
      for (const { bytes } of gone) sum -= bytes as number;
    }
    this.#bytes.set(projectId, sum);
  }

  async #sum(projectId: string): Promise<number> {
    const sql = "SELECT coalesce(sum(bytes), 0) AS bytes FROM cached_answers WHERE project_id = ?";
    return (await this.#ask.get(sql, projectId))!.bytes as number;
  }
}
