/**
 * Jobs of administration in the database. Each statement is a transaction of its own, and comes to the same
 * when it is asked again.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type {
  JobBounds,
  SharedJob,
  SharedJobEnd,
  SharedJobs,
  SharedJobStart,
  SharedJobState,
} from "../ports/shared_jobs.ts";
import type { Ask, AskedRow } from "./ask.ts";
import { NothingSent } from "./connection.ts";
import { isEndUnknown } from "./postgres_error.ts";

const IS_UNDER_WAY = "admin_jobs.state IN ('running', 'cancelling')";
const IS_LIVE = `EXISTS (SELECT 1 FROM node_sessions
  WHERE node_sessions.state = 'live' AND node_sessions.session_id = admin_jobs.session_id)`;

/** Whoever was taken for dead has ended all that it ran, from the same moment on. */
const STATE = `CASE WHEN ${IS_UNDER_WAY} AND NOT ${IS_LIVE} THEN 'interrupted'
  ELSE admin_jobs.state END`;

const SHOWN = `id, operation, facts, started_at, ended_at, progress, error, ${STATE} AS state,
  coalesce((SELECT label FROM node_sessions
    WHERE node_sessions.session_id = admin_jobs.session_id), '') AS node`;

/** Jobs as this process's session sees them. */
export class PostgresSharedJobs implements SharedJobs {
  readonly #ask: Ask;
  readonly #session: () => SessionId;

  /** @param ask Each statement by itself. */
  constructor(ask: Ask, session: () => SessionId) {
    this.#ask = ask;
    this.#session = session;
  }

  async start(
    job: SharedJobStart,
    own: readonly string[],
    onSent: () => void,
  ): Promise<SharedJob | undefined> {
    for (;;) {
      await this.#interrupt(own);
      try {
        await this.#insert(job);
      } catch (error) {
        if (isEndUnknown(error) && !(error instanceof NothingSent)) onSent();
        throw error;
      }
      onSent();
      // Its own one also where the answer was lost, and it was asked again.
      const row = await this.#ask.get(
        `SELECT ${SHOWN} FROM admin_jobs WHERE operation = ? AND ${IS_UNDER_WAY} AND ${IS_LIVE}`,
        job.operation,
      );
      if (row !== undefined) return toJob(row);
      if (!await this.#lives()) return undefined;
      // The other one has ended meanwhile.
    }
  }

  async list(): Promise<readonly SharedJob[]> {
    const rows = await this.#ask.all(
      `SELECT ${SHOWN} FROM admin_jobs ORDER BY started_at DESC, id DESC`,
    );
    return rows.map(toJob);
  }

  async find(id: string): Promise<SharedJob | undefined> {
    const row = await this.#ask.get(`SELECT ${SHOWN}, result FROM admin_jobs WHERE id = ?`, id);
    return row && toJob(row);
  }

  async cancel(id: string): Promise<void> {
    await this.#ask.run(
      `UPDATE admin_jobs SET state = 'cancelling' WHERE id = ? AND state = 'running' AND ${IS_LIVE}`,
      id,
    );
  }

  async tell(id: string, progress: string | undefined): Promise<SharedJobState | undefined> {
    const row = progress === undefined
      ? await this.#ask.get(`SELECT ${STATE} AS state FROM admin_jobs WHERE id = ?`, id)
      : await this.#ask.get(
        `UPDATE admin_jobs SET progress = ?2
         WHERE id = ?1 AND session_id = ?3 AND ${IS_UNDER_WAY} RETURNING ${STATE} AS state`,
        id,
        progress,
        this.#session(),
      );
    return row?.state as SharedJobState | undefined;
  }

  async end(id: string, end: SharedJobEnd, bounds: JobBounds): Promise<void> {
    await this.#ask.run(
      `UPDATE admin_jobs SET state = ?3, ended_at = ?4, result = ?5, error = ?6
       WHERE id = ?1 AND session_id = ?2 AND ${IS_UNDER_WAY} AND ${IS_LIVE}`,
      id,
      this.#session(),
      end.state,
      end.endedAt,
      end.result ?? null,
      end.error ?? null,
    );
    await this.#forget(bounds);
  }

  /** Its row keeps a beginning that is still on its way from being written. */
  async giveUp(job: SharedJobStart, endedAt: number, bounds: JobBounds): Promise<void> {
    await this.#ask.run(
      `INSERT INTO admin_jobs (id, operation, session_id, state, facts, started_at, ended_at)
       VALUES (?1, ?2, ?3, 'interrupted', ?4, ?5, ?6)
       ON CONFLICT (id) DO UPDATE SET state = excluded.state, ended_at = excluded.ended_at
         WHERE ${IS_UNDER_WAY}`,
      job.id,
      job.operation,
      this.#session(),
      job.facts,
      job.startedAt,
      endedAt,
    );
    await this.#forget(bounds);
  }

  /** Begins it, unless one of its operation is under way, or the session has ended. */
  async #insert(job: SharedJobStart): Promise<void> {
    await this.#ask.run(
      `INSERT INTO admin_jobs (id, operation, session_id, state, facts, started_at)
       SELECT ?1::text, ?2::text, session_id, 'running', ?4::text, ?5::bigint
       FROM node_sessions WHERE session_id = ?3::bigint AND state = 'live'
       ON CONFLICT DO NOTHING`,
      job.id,
      job.operation,
      this.#session(),
      job.facts,
      job.startedAt,
    );
  }

  /** Leaves out the oldest that have ended, and older results where all are long. */
  async #forget({ ended, characters }: JobBounds): Promise<void> {
    await this.#ask.run(
      `DELETE FROM admin_jobs WHERE id IN (SELECT id FROM admin_jobs
         WHERE NOT (${IS_UNDER_WAY} AND ${IS_LIVE})
         ORDER BY started_at DESC, id DESC OFFSET ?::bigint)`,
      ended,
    );
    await this.#ask.run(
      `UPDATE admin_jobs SET result = NULL WHERE result IS NOT NULL AND id IN (
         SELECT id FROM (SELECT id, sum(length(result)) OVER (ORDER BY started_at DESC, id DESC)
           AS characters FROM admin_jobs WHERE result IS NOT NULL) AS sized
         WHERE characters > ?::bigint)`,
      characters,
    );
  }

  /** Writes down what has ended with its session, so that another one of its operation may begin. */
  async #interrupt(own: readonly string[]): Promise<void> {
    await this.#ask.run(
      `UPDATE admin_jobs SET state = 'interrupted' WHERE ${IS_UNDER_WAY}
         AND (NOT ${IS_LIVE} OR (session_id = ?1 AND NOT id = ANY(?2)))`,
      this.#session(),
      own,
    );
  }

  async #lives(): Promise<boolean> {
    return await this.#ask.get(
      "SELECT session_id FROM node_sessions WHERE session_id = ? AND state = 'live'",
      this.#session(),
    ) !== undefined;
  }
}

function toJob(row: AskedRow): SharedJob {
  const text = (value: unknown) => (value ?? undefined) as string | undefined;
  return {
    id: row.id as string,
    operation: row.operation as string,
    facts: row.facts as string,
    state: row.state as SharedJobState,
    node: row.node as string,
    startedAt: row.started_at as number,
    endedAt: (row.ended_at ?? undefined) as number | undefined,
    progress: text(row.progress),
    result: text(row.result),
    error: text(row.error),
  };
}
