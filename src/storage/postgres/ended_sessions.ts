/**
 * What sessions leave behind that have ended, and who goes on with it.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { Left } from "../ports/nodes.ts";
import type { Connection } from "./connection.ts";

const ENDED = "SELECT session_id FROM node_sessions WHERE state <> 'live'";

/** Sessions that have calls or answers open. */
export const WITH_OPEN = `SELECT session_id FROM calls WHERE state = 'open'
  UNION
  SELECT session_id FROM stored_responses WHERE status = 'queued' OR status = 'in_progress'`;

/** Of those that have ended; calls of films are closed with their film. */
const LEFT_OPEN = `SELECT session_id FROM calls
  WHERE state = 'open' AND session_id IN (${ENDED}) AND NOT EXISTS (
    SELECT 1 FROM video_tasks WHERE video_tasks.call_id = calls.call_id
      AND (video_tasks.status = 'queued' OR video_tasks.status = 'in_progress'))
  UNION
  SELECT session_id FROM stored_responses
  WHERE (status = 'queued' OR status = 'in_progress') AND session_id IN (${ENDED})`;

/**
 * Makes this session's what ended ones have left that no living one goes on with. It may be asked for
 * again at any time.
 *
 * @returns Its films, where any are new to it, and whose calls and answers are its to close.
 */
export async function inherit(connection: Connection, heir: SessionId): Promise<Left> {
  const films = await connection.run(
    `UPDATE video_tasks SET session_id = $1::bigint
     WHERE (status = 'queued' OR status = 'in_progress')
       AND (session_id = 0 OR session_id IN (${ENDED}))`,
    [heir],
  );
  await connection.run(
    `UPDATE node_sessions SET heir = $1::bigint
     WHERE state <> 'live' AND session_id IN (${LEFT_OPEN}) AND coalesce((
       SELECT heirs.state FROM node_sessions AS heirs
       WHERE heirs.session_id = node_sessions.heir), '') <> 'live'`,
    [heir],
  );
  const { rows } = await connection.run(
    `SELECT session_id FROM node_sessions
     WHERE heir = $1::bigint AND state <> 'live' AND session_id IN (${LEFT_OPEN})
     ORDER BY session_id`,
    [heir],
  );
  return {
    sessions: rows.map(({ session_id }) => Number(session_id)),
    hasFilms: films.count > 0,
  };
}

/**
 * Gives back what ended sessions have leased, and makes their holds nobody's. None of them writes any
 * more: whoever ends one waits for what it is writing.
 */
export async function giveLeasesBack(connection: Connection): Promise<void> {
  // In order, as whoever else locks several of them does.
  await connection.run(
    `SELECT id FROM projects WHERE id IN
       (SELECT project_id FROM leases WHERE session_id IN (${ENDED})) ORDER BY id FOR NO KEY UPDATE`,
    [],
  );
  await connection.run(
    `UPDATE projects SET avail_e8 = avail_e8 + ended.left_e8, held_e8 = projects.held_e8 + ended.held_e8
     FROM (SELECT project_id, sum(left_e8) AS left_e8, sum(held_e8) AS held_e8 FROM leases
       WHERE session_id IN (${ENDED}) GROUP BY project_id) AS ended
     WHERE projects.id = ended.project_id`,
    [],
  );
  await connection.run(`DELETE FROM leases WHERE session_id IN (${ENDED})`, []);
}

/** Notes of ended sessions that have written no row that sums lack nothing of them. */
export async function closeEmptyBooks(connection: Connection): Promise<void> {
  await connection.run(
    `INSERT INTO ledger_books (book, covered_seq, is_whole)
     SELECT session_id, 0, 1 FROM node_sessions WHERE state <> 'live' AND session_id > 0
       AND NOT EXISTS (SELECT 1 FROM ledger_books WHERE book = session_id)
       AND NOT EXISTS (SELECT 1 FROM ledger WHERE book = session_id)
     ON CONFLICT (book) DO NOTHING`,
    [],
  );
}
