/**
 * Which session works on which batch. Each statement is a transaction of its own.
 *
 * @module
 */

import type { BatchCounts } from "../../domain/batch.ts";
import type { SessionId } from "../../domain/session.ts";
import type { LeftBatch, SharedBatches } from "../ports/shared_batches.ts";
import { COUNTS } from "../rows/batch_rows.ts";
import type { Ask } from "./ask.ts";
import { FileSums } from "./file_sums.ts";
import { SHARED_BATCHES } from "./schema/shared_batches.ts";
import { VERSIONS } from "./schema/versions.ts";

const SESSIONS_VERSION = VERSIONS.indexOf(SHARED_BATCHES) + 1;

/**
 * Of no living session. One that has noted none may be the work of a program that does not know how to,
 * as long as any such is there.
 */
const IS_LEFT = `ended_at IS NULL AND CASE
  WHEN batches.session_id IS NULL THEN NOT EXISTS (
    SELECT 1 FROM node_sessions JOIN node_beats ON node_beats.session_id = node_sessions.session_id
    WHERE node_sessions.state = 'live' AND node_beats.schema_version < ${SESSIONS_VERSION})
  ELSE NOT EXISTS (SELECT 1 FROM node_sessions
    WHERE node_sessions.state = 'live' AND node_sessions.session_id = batches.session_id) END`;

/** Batches as this process's session sees them. */
export class PostgresSharedBatches implements SharedBatches {
  readonly #ask: Ask;
  readonly #fileSums: FileSums;
  readonly #session: () => SessionId;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask, session: () => SessionId) {
    this.#ask = ask;
    this.#fileSums = new FileSums(ask);
    this.#session = session;
  }

  async own(): Promise<readonly string[]> {
    const rows = await this.#ask.all(
      "SELECT id FROM batches WHERE ended_at IS NULL AND session_id = ? ORDER BY place",
      this.#session(),
    );
    return rows.map(({ id }) => id as string);
  }

  async left(): Promise<readonly LeftBatch[]> {
    const rows = await this.#ask.all(
      `SELECT id, input_file_id AS "inputFileId", output_file_id AS "outputFileId",
         error_file_id AS "errorFileId", output_bytes AS "outputBytes", error_bytes AS "errorBytes"
       FROM batches WHERE ${IS_LEFT} ORDER BY place`,
    );
    return rows as unknown as readonly LeftBatch[];
  }

  async adopt(batchIds: readonly string[]): Promise<void> {
    await this.#ask.run(
      `UPDATE batches SET session_id = ?1 WHERE id = ANY(?2) AND ${IS_LEFT}
         AND EXISTS (SELECT 1 FROM node_sessions
           WHERE node_sessions.state = 'live' AND node_sessions.session_id = ?1)`,
      this.#session(),
      batchIds,
    );
  }

  async cancelled(): Promise<readonly string[]> {
    const rows = await this.#ask.all(
      `SELECT id FROM batches
       WHERE ended_at IS NULL AND session_id = ? AND status = 'cancelling' ORDER BY place`,
      this.#session(),
    );
    return rows.map(({ id }) => id as string);
  }

  async counts(batchIds: readonly string[]): Promise<ReadonlyMap<string, BatchCounts>> {
    const rows = await this.#ask.all(
      `SELECT batch_id, sum(1 - is_failed) AS completed, sum(is_failed) AS failed,
         sum(usage_input_tokens) AS usage_input_tokens,
         sum(usage_cached_tokens) AS usage_cached_tokens,
         sum(usage_output_tokens) AS usage_output_tokens,
         sum(usage_reasoning_tokens) AS usage_reasoning_tokens
       FROM batch_lines WHERE batch_id = ANY(?) GROUP BY batch_id`,
      batchIds,
    );
    return new Map(rows.map((row) => [row.batch_id as string, COUNTS.read(row)]));
  }

  async openCount(projectId: string): Promise<number> {
    const row = await this.#ask.get(
      "SELECT count(*) AS open FROM batches WHERE ended_at IS NULL AND project_id = ?",
      projectId,
    );
    return Number(row!.open);
  }

  fileBytes(projectId: string, mostBytes: number): Promise<number> {
    return this.#fileSums.bytesOf(projectId, mostBytes);
  }
}
