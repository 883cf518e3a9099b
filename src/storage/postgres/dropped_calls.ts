/**
 * Deletes the calls of sealed runs, and the rows that closed them: few at a time, each with all that
 * belongs to it. Credits stay, and so does what each project's last row of a run belongs to, since
 * later rows go on from its balance.
 *
 * @module
 */

import { type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerRun } from "../ports/ledger_run.ts";
import type { DroppedCalls } from "../ports/seals.ts";
import type { Ask } from "./ask.ts";

const IS_FILM = `EXISTS (SELECT 1 FROM video_tasks WHERE video_tasks.call_id = outcomes.call_id)`;

/** Archives are numbered from 1 on. */
const NO_ARCHIVE = 0;
/** Those whose rows are being put back have its number below zero. */
const MAY_BE_DROPPED = "(archive IS NULL OR archive > 0)";

/** Of one way to ask. */
export class PostgresDroppedCalls implements DroppedCalls {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Of the last one of each book: the documents of all would take long to read. */
  async lastAt(): Promise<number | undefined> {
    const row = await this.#ask.get(
      `SELECT max((document::json ->> 'last_at')::bigint) AS at
       FROM (SELECT book, max(after_seq) AS after_seq FROM ledger_seals WHERE dropped > 0
               GROUP BY book) AS last
         JOIN ledger_seals USING (book, after_seq)`,
    );
    const at = row!.at as number | null;
    return at ?? undefined;
  }

  /** In the key's order, so that the server parses no document behind the one that is found. */
  async next(
    beforeMs: number,
    after: BookPlace | undefined,
  ): Promise<LedgerRun | undefined> {
    const row = await this.#ask.get(
      `SELECT book, after_seq, through_seq FROM ledger_seals
       WHERE dropped < 2 AND ${MAY_BE_DROPPED} AND (book, after_seq) > (?::bigint, ?::bigint)
         AND (document::json ->> 'last_at')::bigint < ?
       ORDER BY book, after_seq LIMIT 1`,
      after?.book ?? MAIN_BOOK,
      after?.seq ?? -1,
      beforeMs,
    );
    return row && {
      book: row.book as number,
      afterSeq: row.after_seq as number,
      throughSeq: row.through_seq as number,
    };
  }

  async drop(
    run: LedgerRun,
    { atOnce, pause, archive }: Parameters<DroppedCalls["drop"]>[1],
  ): Promise<number> {
    if (!await this.#begin(run, archive)) return 0;
    const staying = await this.#staying(run);
    let calls = 0;
    for (let { afterSeq } = run; afterSeq < run.throughSeq; afterSeq += atOnce) {
      const throughSeq = Math.min(run.throughSeq, afterSeq + atOnce);
      calls += await this.#dropWindow(run.afterSeq, { ...run, afterSeq, throughSeq }, staying);
      await pause();
    }
    await this.#ask.run(
      `UPDATE ledger_seals SET dropped = 2
       WHERE book = ? AND after_seq = ? AND dropped = 1 AND ${MAY_BE_DROPPED}`,
      run.book,
      run.afterSeq,
    );
    return calls;
  }

  /** From then on its archive is not given up any more, which is done to one that nothing is dropped of. */
  async #begin({ book, afterSeq }: LedgerRun, archive: number | undefined): Promise<boolean> {
    const begun = await this.#ask.run(
      `UPDATE ledger_seals SET dropped = 1 WHERE book = ?1 AND after_seq = ?2 AND dropped < 2
         AND ${MAY_BE_DROPPED} AND (?3::bigint = 0 OR archive = ?3::bigint)`,
      book,
      afterSeq,
      archive ?? NO_ARCHIVE,
    );
    return begun === 1;
  }

  /** Calls that stay: the same ones, however much of the run is gone. */
  async #staying({ book, afterSeq, throughSeq }: LedgerRun): Promise<readonly number[]> {
    const rows = await this.#ask.all(
      `SELECT call_id FROM ledger WHERE book = ?1 AND call_id IS NOT NULL AND seq IN (
         SELECT max(seq) FROM ledger WHERE book = ?1 AND seq > ?2 AND seq <= ?3 GROUP BY project_id)`,
      book,
      afterSeq,
      throughSeq,
    );
    return rows.map(({ call_id }) => call_id as number);
  }

  /**
   * One statement: a call is there with its rows, or neither is. A film's call stays for its film. Whoever
   * is to put the run's rows back waits for it, and after that none of them is deleted.
   */
  async #dropWindow(
    runAfterSeq: number,
    { book, afterSeq, throughSeq }: LedgerRun,
    staying: readonly number[],
  ): Promise<number> {
    const row = await this.#ask.get(
      `WITH held AS (
         SELECT 1 FROM ledger_seals
         WHERE book = ?1 AND after_seq = ?5 AND dropped = 1 AND ${MAY_BE_DROPPED} FOR SHARE),
       outcomes AS (
         SELECT call_id FROM ledger
         WHERE EXISTS (SELECT 1 FROM held) AND book = ?1 AND seq > ?2 AND seq <= ?3
           AND (kind = 'settle' OR kind = 'release') AND call_id <> ALL(?4::bigint[])),
       films AS (
         INSERT INTO kept_calls (call_id) SELECT call_id FROM outcomes WHERE ${IS_FILM}
         ON CONFLICT (call_id) DO NOTHING),
       gone AS (
         DELETE FROM calls USING outcomes
         WHERE calls.call_id = outcomes.call_id AND NOT ${IS_FILM}
         RETURNING calls.call_id),
       entries AS (
         -- What a call has lost follows on the row that says how it ended.
         DELETE FROM ledger WHERE book = ?1 AND seq > ?2 AND seq <= ?3::bigint + 1
           AND call_id IN (SELECT call_id FROM outcomes))
       SELECT count(*) AS n FROM gone`,
      book,
      afterSeq,
      throughSeq,
      staying,
      runAfterSeq,
    );
    return row!.n as number;
  }
}
