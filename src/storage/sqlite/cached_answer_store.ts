/**
 * Answers that equal requests get again, as rows. What they may take is kept to project by project:
 * the oldest make way. They are lost without harm: a request whose answer is gone is made again.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll } from "./statements.ts";
import { CACHED_ANSWER as ANSWER, CACHED_ROW_BYTES as ROW_BYTES } from "../rows/answer_rows.ts";

/** Rows that make way at a time. */
const STEP_ROWS = 16;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteCachedAnswerStore implements Synchronous<typeof STORES.cached> {
  readonly #sql;
  /** By project; what is not here is added up when it is asked for. */
  readonly #bytes = new Map<string, number>();

  constructor(database: DatabaseSync) {
    const sameKey = "FROM cached_answers WHERE project_id = ? AND path = ? AND key = ?";
    this.#sql = prepareAll(database, {
      find: `SELECT ${ANSWER.names} ${sameKey}`,
      size: `SELECT bytes ${sameKey}`,
      put: `${ANSWER.insertInto("cached_answers", "bytes")}
        ON CONFLICT (project_id, path, key) DO UPDATE SET ${ANSWER.replacements},
          bytes = excluded.bytes`,
      sum: "SELECT coalesce(sum(bytes), 0) AS bytes FROM cached_answers WHERE project_id = ?",
      oldest: `DELETE FROM cached_answers WHERE rowid IN (
          SELECT rowid FROM cached_answers WHERE project_id = ? ORDER BY created_at LIMIT ${STEP_ROWS}
        ) RETURNING bytes`,
      forgetExpired: `DELETE FROM cached_answers WHERE rowid IN (
          SELECT rowid FROM cached_answers WHERE expires_at <= ? ORDER BY expires_at LIMIT ?)`,
    });
  }

  size({ projectId, path, key }: IdempotencyScope): number | undefined {
    return this.#sql.size.get(projectId, path, key)?.bytes as number | undefined;
  }

  find({ projectId, path, key }: IdempotencyScope): IdempotencyRecord | undefined {
    return ANSWER.readIfAny(this.#sql.find.get(projectId, path, key));
  }

  /** Stores an answer in the place of an equal request's; one without a body is not stored. */
  put({ body, cacheBytes = 0, ...record }: IdempotencyRecord): void {
    if (body === undefined) return;
    const { projectId } = record;
    const bytes = Buffer.byteLength(body) + ROW_BYTES;
    this.#sql.put.run(...ANSWER.values({ ...record, body }), bytes);
    const known = this.#bytes.get(projectId);
    const sum = known === undefined ? this.#sum(projectId) : known + bytes;
    this.#bytes.set(projectId, sum);
    if (sum > cacheBytes) this.#makeRoom(projectId, cacheBytes);
  }

  /** Removes answers that are expired at this time, at most so many; says whether more may be left. */
  forgetExpired(untilMs: number, limit: number): boolean {
    const { changes } = this.#sql.forgetExpired.run(untilMs, limit);
    if (changes > 0) this.#bytes.clear();
    return Number(changes) === limit;
  }

  /** What was counted may have been rolled back, or replaced: it is added up again first. */
  #makeRoom(projectId: string, mostBytes: number): void {
    let sum = this.#sum(projectId);
    while (sum > mostBytes) {
      const gone = this.#sql.oldest.all(projectId) as { readonly bytes: number }[];
      if (gone.length === 0) break;
      for (const { bytes } of gone) sum -= Number(bytes);
    }
    this.#bytes.set(projectId, sum);
  }

  #sum(projectId: string): number {
    return Number(this.#sql.sum.get(projectId)!.bytes);
  }
}
