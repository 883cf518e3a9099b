/**
 * Batches and their lines as rows.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { Batch, BatchCounts, BatchLine } from "../../domain/batch.ts";
import type { BatchPage, WaitingLines } from "../ports/batch_pages.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll } from "./statements.ts";
import { BATCH, CANCEL_BATCH, COUNTS, LINE } from "../rows/batch_rows.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteBatchStore implements Synchronous<typeof STORES.batches> {
  readonly #sql;

  constructor(database: DatabaseSync) {
    const select = `SELECT ${BATCH.names} FROM batches`;
    const ofLines = "FROM batch_lines INDEXED BY batch_lines_by_batch WHERE batch_id = ?";
    this.#sql = prepareAll(database, {
      find: `${select} WHERE id = ?`,
      place: "SELECT place FROM batches WHERE id = ?",
      all: `${select} NOT INDEXED WHERE place < ? ORDER BY place DESC LIMIT ?`,
      ofProject: `${select} INDEXED BY batches_by_project
        WHERE project_id = ? AND place < ? ORDER BY place DESC LIMIT ?`,
      open: `${select} INDEXED BY batches_open WHERE ended_at IS NULL ORDER BY place`,
      doneLines: `SELECT line ${ofLines} ORDER BY line`,
      counts: `SELECT coalesce(sum(1 - is_failed), 0) AS completed,
        coalesce(sum(is_failed), 0) AS failed,
        coalesce(sum(usage_input_tokens), 0) AS usage_input_tokens,
        coalesce(sum(usage_cached_tokens), 0) AS usage_cached_tokens,
        coalesce(sum(usage_output_tokens), 0) AS usage_output_tokens,
        coalesce(sum(usage_reasoning_tokens), 0) AS usage_reasoning_tokens ${ofLines}`,
      waiting: `SELECT ${LINE.names} FROM batch_lines INDEXED BY batch_lines_to_write
        WHERE batch_id = ? AND line > ? AND text IS NOT NULL ORDER BY line LIMIT ?`,
      insert: BATCH.insertInto("batches"),
      replace: `UPDATE batches SET ${BATCH.assignments} WHERE id = ?1 AND ended_at IS NULL`,
      cancel: CANCEL_BATCH,
      insertLine: `${LINE.insertInto("batch_lines")} ON CONFLICT (batch_id, line) DO NOTHING`,
      written: `UPDATE batch_lines SET text = NULL WHERE batch_id = ? AND line = ?`,
      deleteLines: `DELETE FROM batch_lines WHERE rowid IN (SELECT rowid ${ofLines} LIMIT ?)`,
      // Batches with lines are few: from one to the next, whatever lines they have.
      endedWithLines: `WITH RECURSIVE with_lines (id) AS (
          SELECT min(batch_id) FROM batch_lines
          UNION ALL
          SELECT (SELECT min(batch_id) FROM batch_lines WHERE batch_id > with_lines.id)
          FROM with_lines WHERE with_lines.id IS NOT NULL
        ) SELECT batches.id FROM with_lines CROSS JOIN batches ON batches.id = with_lines.id
        WHERE batches.ended_at IS NOT NULL LIMIT 1`,
    });
  }

  find(batchId: string): Batch | undefined {
    return BATCH.readIfAny(this.#sql.find.get(batchId));
  }

  list({ projectId, after, limit }: BatchPage): readonly Batch[] {
    const place = after === undefined ? undefined : this.#sql.place.get(after)?.place;
    const from = (place ?? Number.MAX_SAFE_INTEGER) as number;
    const rows = projectId === undefined
      ? this.#sql.all.all(from, limit)
      : this.#sql.ofProject.all(projectId, from, limit);
    return rows.map((row) => BATCH.read(row));
  }

  open(): readonly Batch[] {
    return this.#sql.open.all().map((row) => BATCH.read(row));
  }

  doneLines(batchId: string): readonly number[] {
    return this.#sql.doneLines.all(batchId).map(({ line }) => line as number);
  }

  counts(batchId: string): BatchCounts {
    return COUNTS.read(this.#sql.counts.get(batchId));
  }

  waitingLines({ batchId, after, limit, mostCharacters }: WaitingLines): readonly BatchLine[] {
    const lines: BatchLine[] = [];
    let characters = 0;
    for (const row of this.#sql.waiting.iterate(batchId, after, limit)) {
      const line = LINE.read(row);
      characters += line.text.length;
      if (lines.length > 0 && characters > mostCharacters) break;
      lines.push(line);
    }
    return lines;
  }

  /** Adds a batch. Throws when its id exists. */
  insert(batch: Batch): void {
    this.#sql.insert.run(...BATCH.values(batch));
  }

  /** Replaces one that has not ended; says whether there is such a one. */
  replace(batch: Batch): boolean {
    return this.#sql.replace.run(...BATCH.values(batch)).changes === 1;
  }

  /** Has one ask for nothing more, unless it does so already; says whether there is an open one. */
  cancel(batchId: string, at: number): boolean {
    return this.#sql.cancel.run(batchId, at).changes === 1;
  }

  /** Notes what became of a line; the first time counts. Says whether it was. */
  putLine(line: BatchLine): boolean {
    return this.#sql.insertLine.run(...LINE.values(line)).changes === 1;
  }

  /** Forgets the texts of lines that are in their files. */
  noteWritten(batchId: string, lines: readonly number[]): void {
    for (const line of lines) this.#sql.written.run(batchId, line);
  }

  /** Deletes lines of a batch, at most so many; says whether more may be left. */
  deleteLines(batchId: string, limit: number): boolean {
    return Number(this.#sql.deleteLines.run(batchId, limit).changes) === limit;
  }

  /** Deletes lines of a batch that has ended, at most so many; says whether more may be left. */
  forgetLines(limit: number): boolean {
    const ended = this.#sql.endedWithLines.get()?.id as string | undefined;
    if (ended === undefined) return false;
    this.deleteLines(ended, limit);
    return true;
  }
}
