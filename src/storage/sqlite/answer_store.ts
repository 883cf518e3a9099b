/**
 * Answers for repeated requests as rows.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { IdempotencyRecord, IdempotencyScope } from "../../domain/idempotency.ts";
import { ANSWER_ROW_BYTES } from "../../domain/kept_bytes.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { FORGOTTEN_BYTES, withinBytes } from "./forgotten_bytes.ts";
import type { SizedRow, SqliteKeptStore } from "./kept_store.ts";

interface AnswerRow {
  readonly project_id: string;
  readonly path: string;
  readonly key: string;
  readonly fingerprint: string;
  readonly request_id: string;
  readonly status: number;
  readonly body: string | null;
  readonly stream_provider: string | null;
  readonly stream_route: string | null;
  readonly created_at: number;
  readonly expires_at: number;
}

/** Asks for the size alone: the text itself is not read for it. */
const BYTES = "coalesce(octet_length(body), 0) AS bytes";
/** What a row counts for. */
const COUNTED = `${ANSWER_ROW_BYTES} + ${BYTES}`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteAnswerStore implements Synchronous<typeof STORES.answers> {
  readonly #find: StatementSync;
  readonly #expiry: StatementSync;
  readonly #kept: SqliteKeptStore;
  readonly #bytes: StatementSync;
  readonly #put: StatementSync;
  readonly #expiredBytes: StatementSync;
  readonly #forgetExpired: StatementSync;
  readonly #bytesOf: StatementSync;
  readonly #forgetOf: StatementSync;

  constructor(database: DatabaseSync, kept: SqliteKeptStore) {
    this.#kept = kept;
    const columns =
      "project_id, path, key, fingerprint, request_id, status, body, stream_provider, stream_route, created_at, expires_at";
    const sameKey = "project_id = ? AND path = ? AND key = ?";
    this.#find = database.prepare(`SELECT ${columns} FROM stored_answers WHERE ${sameKey}`);
    this.#expiry = database.prepare(`SELECT expires_at FROM stored_answers WHERE ${sameKey}`);
    this.#bytes = database.prepare(
      `SELECT ${BYTES} FROM stored_answers WHERE ${sameKey}`,
    );
    this.#put = database.prepare(
      `INSERT INTO stored_answers (${columns}, tells_of)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (project_id, path, key) DO UPDATE SET
         fingerprint = excluded.fingerprint,
         request_id = excluded.request_id,
         status = excluded.status,
         body = excluded.body,
         stream_provider = excluded.stream_provider,
         stream_route = excluded.stream_route,
         created_at = excluded.created_at,
         expires_at = excluded.expires_at,
         tells_of = excluded.tells_of
       RETURNING ${COUNTED}`,
    );
    const expired = "FROM stored_answers WHERE expires_at <= ? ORDER BY expires_at LIMIT ?";
    this.#expiredBytes = database.prepare(`SELECT project_id, ${COUNTED} ${expired}`);
    this.#forgetExpired = database.prepare(
      `DELETE FROM stored_answers WHERE rowid IN (SELECT rowid ${expired})`,
    );
    const ofSubject = "FROM stored_answers INDEXED BY stored_answers_by_subject WHERE tells_of = ?";
    this.#bytesOf = database.prepare(`SELECT project_id, ${COUNTED} ${ofSubject}`);
    this.#forgetOf = database.prepare(`DELETE ${ofSubject}`);
  }

  size({ projectId, path, key }: IdempotencyScope): number | undefined {
    return this.#bytes.get(projectId, path, key)?.bytes as number | undefined;
  }

  find({ projectId, path, key }: IdempotencyScope): IdempotencyRecord | undefined {
    const row = this.#find.get(projectId, path, key) as unknown as AnswerRow | undefined;
    return row === undefined ? undefined : answerFromRow(row);
  }

  /** When the stored answer expires; `undefined` if there is none. */
  expiresAt({ projectId, path, key }: IdempotencyScope): number | undefined {
    return this.#expiry.get(projectId, path, key)?.expires_at as number | undefined;
  }

  /**
   * Stores an answer, in the place of one with the same key.
   *
   * @param tellsOf The video task or the response that it goes with, if it does.
   */
  put(record: IdempotencyRecord, tellsOf: string | null = null): void {
    const before = this.size(record);
    const { bytes } = this.#put.get(
      record.projectId,
      record.path,
      record.key,
      record.fingerprint,
      record.requestId,
      record.status,
      record.body ?? null,
      record.stream?.provider ?? null,
      record.stream?.route ?? null,
      record.createdAt,
      record.expiresAt,
      tellsOf,
    ) as unknown as SizedRow;
    const counted = before === undefined ? 0 : ANSWER_ROW_BYTES + before;
    this.#kept.add(record.projectId, { answers: bytes - counted });
  }

  /**
   * Removes answers that are expired at this time, the earliest first, no more of them nor of
   * their bytes than keeps other writes waiting for a moment; says whether more may be left.
   */
  forgetExpired(untilMs: number, limit: number): boolean {
    const sizes = this.#expiredBytes.all(untilMs, limit) as unknown as SizedRow[];
    const forgotten = withinBytes(sizes, FORGOTTEN_BYTES);
    this.#forgetExpired.run(untilMs, forgotten.length);
    this.#kept.remove(forgotten, "answers");
    return forgotten.length < sizes.length || forgotten.length === limit;
  }

  /** Removes the answers that tell of a video task or a response. */
  forgetOf(subjectId: string): void {
    const forgotten = this.#bytesOf.all(subjectId) as unknown as SizedRow[];
    if (forgotten.length === 0) return;
    this.#forgetOf.run(subjectId);
    this.#kept.remove(forgotten, "answers");
  }
}

function answerFromRow(row: AnswerRow): IdempotencyRecord {
  return {
    projectId: row.project_id,
    path: row.path,
    key: row.key,
    fingerprint: row.fingerprint,
    requestId: row.request_id,
    status: row.status,
    body: row.body ?? undefined,
    stream: row.stream_provider === null || row.stream_route === null
      ? undefined
      : { provider: row.stream_provider, route: row.stream_route },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
