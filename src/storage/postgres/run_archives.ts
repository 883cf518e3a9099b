/**
 * What the database keeps of archives of its sealed runs. Who is at one says so in its row: of several
 * processes the table's key lets one begin, and another takes over once that one's session has ended.
 *
 * @module
 */

import { type BookPlace, MAIN_BOOK } from "../../domain/book.ts";
import type { RunArchive } from "../../domain/run_archive.ts";
import type { SessionId } from "../../domain/session.ts";
import type {
  BegunArchive,
  NotedArchive,
  RawRows,
  RunArchives,
  RunOutlook,
} from "../ports/archived_runs.ts";
import type { LedgerRun } from "../ports/ledger_run.ts";
import { CALL_COLUMNS } from "../rows/call_row.ts";
import { LEDGER_COLUMNS } from "../rows/ledger_row.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { BOOKS } from "./ledger_store.ts";
import { recordset } from "./sql.ts";

const CALL_ROW = [...CALL_COLUMNS, "checksum"];
const LEDGER_ROW = [...LEDGER_COLUMNS, "checksum"];
const CALL_NAMES = CALL_ROW.join(", ");
const LEDGER_NAMES = LEDGER_ROW.join(", ");
const LAST_AT = "(document::json ->> 'last_at')::bigint";
const FIRST_AT = "(document::json ->> 'first_at')::bigint";
/** Nobody who lives is at it. */
export const IS_LEFT = `NOT EXISTS (SELECT 1 FROM node_sessions
  WHERE node_sessions.session_id = run_archives.session_id AND node_sessions.state = 'live')`;
/** Of whoever asks, by his session. */
const NOTED = `SELECT number, before_at, calls, first_call_id, last_call_id, file, sha256,
    (run_archives.state = 2)::int AS is_dropped,
    (run_archives.session_id <> ?1::bigint AND NOT ${IS_LEFT})::int AS is_anothers,
    (run_archives.state = 2 OR EXISTS (SELECT 1 FROM ledger_seals
      WHERE archive = number AND dropped > 0))::int AS is_begun,
    (EXISTS (SELECT 1 FROM ledger_seals WHERE archive = -number))::int AS is_restoring,
    node, label
  FROM run_archives LEFT JOIN node_sessions ON node_sessions.session_id = run_archives.session_id`;

/** Of one way to ask, which may take long. */
export class PostgresRunArchives implements RunArchives {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param session Who would archive. */
  constructor(ask: Ask, session: () => SessionId) {
    this.#ask = ask;
    this.#session = session;
  }

  async outlook(beforeMs: number): Promise<RunOutlook> {
    const row = await this.#ask.get(
      `${BOOKS} SELECT count(*) FILTER (WHERE last_at < ?1) AS runs,
         coalesce(sum(through_seq - after_seq) FILTER (WHERE last_at < ?1), 0) AS "ledgerRows",
         coalesce(sum(calls) FILTER (WHERE last_at < ?1), 0) AS calls,
         coalesce(min(first_at) FILTER (WHERE last_at < ?1), 0) AS "firstAt",
         coalesce(max(last_at) FILTER (WHERE last_at < ?1), 0) AS "lastAt",
         coalesce(sum(through_seq - after_seq) FILTER (WHERE last_at >= ?1 AND first_at < ?1), 0)
           AS "rowsReachingBeyond",
         (SELECT count(*) FROM calls WHERE state = 'open' AND opened_at < ?1) AS "openCalls",
         (SELECT count(*) FROM video_tasks JOIN calls USING (call_id)
          WHERE calls.state <> 'open' AND closed_at < ?1) AS films,
         (SELECT count(*) FROM books
            CROSS JOIN LATERAL (SELECT at FROM ledger WHERE ledger.book = books.book
              AND seq > coalesce((SELECT max(through_seq) FROM ledger_seals
                WHERE ledger_seals.book = books.book), 0)) AS one
          WHERE at < ?1) AS "unsealedRows"
       FROM (SELECT after_seq, through_seq, ${FIRST_AT} AS first_at, ${LAST_AT} AS last_at,
           (document::json -> 'calls' ->> 0)::bigint AS calls
         FROM ledger_seals WHERE dropped = 0 AND archive IS NULL) AS one`,
      beforeMs,
    );
    return row as unknown as RunOutlook;
  }

  async next(beforeMs: number, after: BookPlace | undefined): Promise<LedgerRun | undefined> {
    return toRun(
      await this.#ask.get(
        `SELECT book, after_seq, through_seq FROM ledger_seals
         WHERE dropped = 0 AND archive IS NULL AND (book, after_seq) > (?::bigint, ?::bigint)
           AND ${LAST_AT} < ?
         ORDER BY book, after_seq LIMIT 1`,
        after?.book ?? MAIN_BOOK,
        after?.seq ?? -1,
        beforeMs,
      ),
    );
  }

  async begin(): Promise<BegunArchive | undefined> {
    const begun = await this.#ask.get(
      `INSERT INTO run_archives (number, state, session_id)
       SELECT 1 + greatest((SELECT coalesce(max(number), 0) FROM checkpoints),
         (SELECT coalesce(max(number), 0) FROM run_archives WHERE state > 0)), 0, ?1
       WHERE NOT EXISTS (SELECT 1 FROM run_archives WHERE state = 1)
         AND NOT EXISTS (SELECT 1 FROM ledger_seals WHERE archive < 0)
       ON CONFLICT (number) DO UPDATE SET session_id = excluded.session_id
       WHERE run_archives.state = 0
         AND (run_archives.session_id = excluded.session_id OR ${IS_LEFT})
       RETURNING number`,
      this.#session(),
    );
    if (begun === undefined) return undefined;
    const number = begun.number as number;
    const previous = await this.#ask.get(
      `SELECT sha256 FROM (SELECT number, sha256 FROM checkpoints
         UNION ALL SELECT number, sha256 FROM run_archives WHERE state > 0) AS one
       WHERE number < ? ORDER BY number DESC LIMIT 1`,
      number,
    );
    return { number, previous: (previous?.sha256 ?? null) as string | null };
  }

  async giveUp(number: number): Promise<void> {
    await this.#ask.run(
      "DELETE FROM run_archives WHERE number = ? AND state = 0 AND session_id = ?",
      number,
      this.#session(),
    );
  }

  async list(): Promise<readonly NotedArchive[]> {
    const sql = `${NOTED} WHERE run_archives.state > 0 ORDER BY number`;
    return (await this.#ask.all(sql, this.#session())).map(toArchive);
  }

  async unfinished(): Promise<NotedArchive | undefined> {
    const row = await this.#ask.get(
      `${NOTED} WHERE run_archives.state = 1 ORDER BY number LIMIT 1`,
      this.#session(),
    );
    const archive = row && toArchive(row);
    return archive?.isAnothers === true ? undefined : archive;
  }

  async take({ number, sha256 }: Pick<RunArchive, "number" | "sha256">): Promise<boolean> {
    const taken = await this.#ask.run(
      `UPDATE run_archives SET session_id = ?1
       WHERE number = ?2 AND sha256 = ?3 AND state = 1 AND (session_id = ?1 OR ${IS_LEFT})`,
      this.#session(),
      number,
      sha256,
    );
    return taken === 1;
  }

  async nextToDrop(number: number, after: BookPlace | undefined): Promise<LedgerRun | undefined> {
    return toRun(
      await this.#ask.get(
        `SELECT book, after_seq, through_seq FROM ledger_seals
         WHERE archive = ? AND dropped < 2 AND (book, after_seq) > (?::bigint, ?::bigint)
         ORDER BY book, after_seq LIMIT 1`,
        number,
        after?.book ?? MAIN_BOOK,
        after?.seq ?? -1,
      ),
    );
  }

  /** What was altered is left as it is, and what was begun is not. */
  async finish(number: number): Promise<void> {
    await this.#ask.run(
      `UPDATE run_archives SET state = 2 WHERE number = ? AND state = 1 AND session_id = ?
         AND NOT EXISTS (SELECT 1 FROM ledger_seals WHERE archive = number AND dropped = 1)`,
      number,
      this.#session(),
    );
  }

  async nextToRestore(
    number: number,
    after: BookPlace | undefined,
  ): Promise<LedgerRun | undefined> {
    return toRun(
      await this.#ask.get(
        `SELECT book, after_seq, through_seq FROM ledger_seals
         WHERE archive = -?::bigint AND (book, after_seq) > (?::bigint, ?::bigint)
         ORDER BY book, after_seq LIMIT 1`,
        number,
        after?.book ?? MAIN_BOOK,
        after?.seq ?? -1,
      ),
    );
  }

  /** One statement. A call that has stayed for its film has its row again. */
  async putBack(
    book: LedgerRun["book"],
    { ledger, calls }: Pick<RawRows, "ledger" | "calls">,
  ): Promise<void> {
    await this.#ask.run(
      `WITH returned AS (
         INSERT INTO calls (${CALL_NAMES})
         SELECT ${CALL_NAMES} FROM json_populate_recordset(NULL::calls, ?1::text::json)
         ON CONFLICT (call_id) DO NOTHING),
       kept AS (
         DELETE FROM kept_calls WHERE call_id IN (
           SELECT call_id FROM json_populate_recordset(NULL::calls, ?1::text::json)))
       INSERT INTO ledger (book, ${LEDGER_NAMES})
       SELECT ?3::bigint, ${LEDGER_NAMES}
       FROM json_populate_recordset(NULL::ledger, ?2::text::json)
       ON CONFLICT DO NOTHING`,
      recordset(CALL_ROW, calls),
      recordset(LEDGER_ROW, ledger),
      book,
    );
  }

  async restored({ book, afterSeq }: LedgerRun): Promise<void> {
    await this.#ask.run(
      `UPDATE ledger_seals SET dropped = 0, archive = NULL
       WHERE book = ? AND after_seq = ? AND archive < 0`,
      book,
      afterSeq,
    );
  }

  async forget(number: number): Promise<void> {
    await this.#ask.run(
      `DELETE FROM run_archives WHERE number = ?1 AND state = 2 AND NOT EXISTS (
         SELECT 1 FROM ledger_seals WHERE archive = ?1 OR archive = -?1::bigint)`,
      number,
    );
  }
}

function toRun(row: AskedRow | undefined): LedgerRun | undefined {
  return row && {
    book: row.book as number,
    afterSeq: row.after_seq as number,
    throughSeq: row.through_seq as number,
  };
}

function toArchive(row: AskedRow): NotedArchive {
  return {
    number: row.number as number,
    beforeMs: row.before_at as number,
    calls: row.calls as number,
    firstCallId: row.first_call_id as number,
    lastCallId: row.last_call_id as number,
    file: row.file as string,
    sha256: row.sha256 as string,
    isDropped: row.is_dropped === 1,
    isBegun: row.is_begun === 1,
    isAnothers: row.is_anothers === 1,
    isRestoring: row.is_restoring === 1,
    node: row.label === null ? undefined : { id: row.node as string, label: row.label as string },
  };
}
