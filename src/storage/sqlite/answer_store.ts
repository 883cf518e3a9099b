/**
 * Answers for repeated requests as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import { ANSWER_ROW_BYTES } from "../../domain/kept_bytes.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { FORGOTTEN_BYTES, type SizedRow, withinBytes } from "../rows/kept_row.ts";
import type { SqliteKeptStore } from "./kept_store.ts";
import { prepareAll } from "./statements.ts";
import { ANSWER } from "../rows/answer_rows.ts";

/** Asks for the size alone: the text itself is not read for it. */
const BYTES = "coalesce(octet_length(body), 0) AS bytes";
/** What a row counts for. */
const COUNTED = `${ANSWER_ROW_BYTES} + ${BYTES}`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteAnswerStore implements Synchronous<typeof STORES.answers> {
  readonly #kept: SqliteKeptStore;
  readonly #sql;

  constructor(database: DatabaseSync, kept: SqliteKeptStore) {
    this.#kept = kept;
    const sameKey = "FROM stored_answers WHERE project_id = ? AND path = ? AND key = ?";
    const expired = "FROM stored_answers WHERE expires_at <= ? ORDER BY expires_at LIMIT ?";
    const ofSubject = "FROM stored_answers INDEXED BY stored_answers_by_subject WHERE tells_of = ?";
    this.#sql = prepareAll(database, {
      find: `SELECT ${ANSWER.names} ${sameKey}`,
      expiry: `SELECT expires_at ${sameKey}`,
      bytes: `SELECT ${BYTES} ${sameKey}`,
      put: `${ANSWER.insertInto("stored_answers", "tells_of")}
        ON CONFLICT (project_id, path, key) DO UPDATE SET ${ANSWER.replacements},
          tells_of = excluded.tells_of
        RETURNING ${COUNTED}`,
      expiredBytes: `SELECT project_id, ${COUNTED} ${expired}`,
      forgetExpired: `DELETE FROM stored_answers WHERE rowid IN (SELECT rowid ${expired})`,
      bytesOf: `SELECT project_id, ${COUNTED} ${ofSubject}`,
      forgetOf: `DELETE ${ofSubject}`,
    });
  }

  size({ projectId, path, key }: IdempotencyScope): number | undefined {
    return this.#sql.bytes.get(projectId, path, key)?.bytes as number | undefined;
  }

  find({ projectId, path, key }: IdempotencyScope): IdempotencyRecord | undefined {
    return ANSWER.readIfAny(this.#sql.find.get(projectId, path, key));
  }

  /** When the stored answer expires; `undefined` if there is none. */
  expiresAt({ projectId, path, key }: IdempotencyScope): number | undefined {
    return this.#sql.expiry.get(projectId, path, key)?.expires_at as number | undefined;
  }

  /**
   * Stores an answer, in the place of one with the same key.
   *
   * @param tellsOf The video task or the response that it goes with, if it does.
   */
  put(record: IdempotencyRecord, tellsOf: string | null = null): void {
    const before = this.size(record);
    const row = this.#sql.put.get(...ANSWER.values(record), tellsOf);
    const { bytes } = row as unknown as SizedRow;
    const counted = before === undefined ? 0 : ANSWER_ROW_BYTES + before;
    this.#kept.add(record.projectId, { answers: bytes - counted });
  }

  /**
   * Removes answers that are expired at this time, the earliest first, no more of them nor of
   * their bytes than keeps other writes waiting for a moment; says whether more may be left.
   */
  forgetExpired(untilMs: number, limit: number): boolean {
    const sizes = this.#sql.expiredBytes.all(untilMs, limit) as unknown as SizedRow[];
    const forgotten = withinBytes(sizes, FORGOTTEN_BYTES);
    this.#sql.forgetExpired.run(untilMs, forgotten.length);
    this.#kept.remove(forgotten, "answers");
    return forgotten.length < sizes.length || forgotten.length === limit;
  }

  /** Removes the answers that tell of a video task or a response. */
  forgetOf(subjectId: string): void {
    const forgotten = this.#sql.bytesOf.all(subjectId) as unknown as SizedRow[];
    if (forgotten.length === 0) return;
    this.#sql.forgetOf.run(subjectId);
    this.#kept.remove(forgotten, "answers");
  }
}
