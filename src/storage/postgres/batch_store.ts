/**
 * Batches and their lines.
 *
 * @module
 */

import { type Batch, type BatchCounts, type BatchLine, isOpenBatch } from "../../domain/batch.ts";
import { EARLIER_SESSION, type SessionId } from "../../domain/session.ts";
import type { BatchPage, WaitingLines } from "../ports/batch_pages.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { BATCH, CANCEL_BATCH, COUNTS, LINE } from "../rows/batch_rows.ts";
import type { Ask } from "./ask.ts";

const BATCHES = `SELECT ${BATCH.names} FROM batches`;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresBatchStore implements Asynchronous<typeof STORES.batches> {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param session Whose work is what is added. */
  constructor(ask: Ask, session: () => SessionId = () => EARLIER_SESSION) {
    this.#ask = ask;
    this.#session = session;
  }

  async find(batchId: string): Promise<Batch | undefined> {
    return BATCH.readIfAny(await this.#ask.get(`${BATCHES} WHERE id = ?`, batchId));
  }

  async list({ projectId, after, limit }: BatchPage): Promise<readonly Batch[]> {
    const place = after === undefined
      ? undefined
      : await this.#ask.get("SELECT place FROM batches WHERE id = ?", after);
    const from = (place?.place ?? Number.MAX_SAFE_INTEGER) as number;
    const rows = projectId === undefined
      ? await this.#ask.all(`${BATCHES} WHERE place < ? ORDER BY place DESC LIMIT ?`, from, limit)
      : await this.#ask.all(
        `${BATCHES} WHERE project_id = ? AND place < ? ORDER BY place DESC LIMIT ?`,
        projectId,
        from,
        limit,
      );
    return rows.map((row) => BATCH.read(row));
  }

  async open(): Promise<readonly Batch[]> {
    const rows = await this.#ask.all(`${BATCHES} WHERE ended_at IS NULL ORDER BY place`);
    return rows.map((row) => BATCH.read(row));
  }

  async doneLines(batchId: string): Promise<readonly number[]> {
    const sql = "SELECT line FROM batch_lines WHERE batch_id = ? ORDER BY line";
    return (await this.#ask.all(sql, batchId)).map(({ line }) => line as number);
  }

  async counts(batchId: string): Promise<BatchCounts> {
    return COUNTS.read(
      await this.#ask.get(
        `SELECT coalesce(sum(1 - is_failed), 0) AS completed,
           coalesce(sum(is_failed), 0) AS failed,
           coalesce(sum(usage_input_tokens), 0) AS usage_input_tokens,
           coalesce(sum(usage_cached_tokens), 0) AS usage_cached_tokens,
           coalesce(sum(usage_output_tokens), 0) AS usage_output_tokens,
           coalesce(sum(usage_reasoning_tokens), 0) AS usage_reasoning_tokens
         FROM batch_lines WHERE batch_id = ?`,
        batchId,
      ),
    );
  }

  /** What goes beyond the bound is not sent by the server. */
  async waitingLines(
    { batchId, after, limit, mostCharacters }: WaitingLines,
  ): Promise<readonly BatchLine[]> {
    const rows = await this.#ask.all(
      `SELECT ${LINE.names} FROM (
         SELECT *, row_number() OVER (ORDER BY line) AS place,
           sum(length(text)) OVER (ORDER BY line) AS characters
         FROM (SELECT * FROM batch_lines WHERE batch_id = ? AND line > ? AND text IS NOT NULL
           ORDER BY line LIMIT ?) AS waiting) AS counted
       WHERE place = 1 OR characters <= ? ORDER BY line`,
      batchId,
      after,
      limit,
      mostCharacters,
    );
    // The server counts characters, the bound UTF-16's units.
    const lines: BatchLine[] = [];
    let characters = 0;
    for (const row of rows) {
      const line = LINE.read(row);
      characters += line.text.length;
      if (lines.length > 0 && characters > mostCharacters) break;
      lines.push(line);
    }
    return lines;
  }

  /** Adds a batch. Rejects when its id exists. */
  async insert(batch: Batch): Promise<void> {
    const sql = BATCH.insertInto("batches", "session_id");
    await this.#ask.run(sql, ...BATCH.values(batch), this.#session());
  }

  /**
   * Replaces one that has not ended; says whether there is such a one. Whoever works on it may not have
   * heard yet that another process has cancelled it: it stays cancelled.
   */
  async replace(batch: Batch): Promise<boolean> {
    const stored = BATCH.readIfAny(
      await this.#ask.get(`${BATCHES} WHERE id = ? AND ended_at IS NULL FOR UPDATE`, batch.id),
    );
    if (stored === undefined) return false;
    const sql = `UPDATE batches SET ${BATCH.assignments} WHERE id = ?1`;
    return await this.#ask.run(sql, ...BATCH.values(stillCancelled(batch, stored))) === 1;
  }

  /** Has one ask for nothing more, unless it does so already; says whether there is an open one. */
  async cancel(batchId: string, at: number): Promise<boolean> {
    return await this.#ask.run(CANCEL_BATCH, batchId, at) === 1;
  }

  /** Notes what became of a line; the first time counts. Says whether it was. */
  async putLine(line: BatchLine): Promise<boolean> {
    const sql = `${LINE.insertInto("batch_lines")} ON CONFLICT (batch_id, line) DO NOTHING`;
    return await this.#ask.run(sql, ...LINE.values(line)) === 1;
  }

  /** Forgets the texts of lines that are in their files. */
  async noteWritten(batchId: string, lines: readonly number[]): Promise<void> {
    await this.#ask.run(
      "UPDATE batch_lines SET text = NULL WHERE batch_id = ? AND line = ANY(?)",
      batchId,
      lines,
    );
  }

  /** Deletes lines of a batch, at most so many; says whether more may be left. */
  async deleteLines(batchId: string, limit: number): Promise<boolean> {
    return await this.#ask.run(
      `DELETE FROM batch_lines WHERE batch_id = ?1 AND line IN (
         SELECT line FROM batch_lines WHERE batch_id = ?1 ORDER BY line LIMIT ?2)`,
      batchId,
      limit,
    ) === limit;
  }

  /** Deletes lines of a batch that has ended, at most so many; says whether more may be left. */
  async forgetLines(limit: number): Promise<boolean> {
    // Batches with lines are few: from one to the next, whatever lines they have.
    const ended = await this.#ask.get(
      `WITH RECURSIVE with_lines (id) AS (
         SELECT min(batch_id) FROM batch_lines
         UNION ALL
         SELECT (SELECT min(batch_id) FROM batch_lines WHERE batch_id > with_lines.id)
         FROM with_lines WHERE with_lines.id IS NOT NULL
       ) SELECT batches.id FROM with_lines JOIN batches ON batches.id = with_lines.id
       WHERE batches.ended_at IS NOT NULL LIMIT 1`,
    );
    if (ended === undefined) return false;
    await this.deleteLines(ended.id as string, limit);
    return true;
  }
}

/** A batch as it becomes, without taking back that it was cancelled. */
function stillCancelled(batch: Batch, { status, cancellingAt }: Batch): Batch {
  if (status !== "cancelling" || !isOpenBatch(batch)) return batch;
  return { ...batch, status, cancellingAt };
}
