/**
 * Sessions in the database: who has begun one, and whether it lives. No clock is compared with another:
 * a session is dead when its beats have stood still for so long by the clock of whoever looks, over one
 * connection that was good all the time.
 *
 * @module
 */

import type { NodeIdentity, SessionId } from "../../domain/session.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Connection } from "./connection.ts";
import { SERVER_NOW } from "./sql.ts";

/**
 * Of sessions that are nobody's who could show that it lives: each has the database to itself, where
 * nodes share it.
 */
export const NOBODY = "";

/** Less than what makes a session silent: whoever takes its place then finds nothing locked. */
const IDLE_MS = 10_000;

/**
 * Begins a transaction that locks what others may want: one whose process stands still, or is cut off,
 * in the middle of it is rolled back after a while.
 */
export const BEGIN: readonly string[] = [
  "BEGIN",
  `SET LOCAL idle_in_transaction_session_timeout = ${IDLE_MS}`,
];

/** Milliseconds after which a session that is silent has ended. */
export const REAP_MS = 20_000;

const ENDED = "SELECT session_id FROM node_sessions WHERE state <> 'live'";

/** Numbers that calls' ids have in them, so that no two live sessions give out the same. */
const SLOTS = 256;

/** A session that has begun. */
export interface BegunSession {
  readonly session: SessionId;
  readonly slot: number;
}

/** A session as others see it. */
export interface LiveSession {
  readonly session: SessionId;
  readonly node: string;
  readonly label: string;
  readonly slot: number;
  readonly beatNo: string;
}

/** What one connection has seen of the sessions that are others'. */
export class Observation {
  readonly #reapMs: number;
  readonly #onInUse: (label: string) => void;
  readonly #seen: Map<SessionId, { readonly beatNo: string; readonly atMs: number }> = new Map();
  #told: SessionId | undefined;

  /** @param onInUse Hears once of each that lives; it throws where nobody is to wait for its end. */
  constructor(reapMs: number, onInUse: (label: string) => void) {
    this.#reapMs = reapMs;
    this.#onInUse = onInUse;
  }

  /** Those that are silent for so long that they have ended. */
  silent(others: readonly LiveSession[]): readonly SessionId[] {
    const now = performance.now();
    return others.filter(({ session, beatNo, label }) => {
      const seen = this.#seen.get(session);
      if (seen?.beatNo !== beatNo) {
        this.#seen.set(session, { beatNo, atMs: now });
        if (seen !== undefined && session !== this.#told) {
          this.#told = session;
          this.#onInUse(label);
        }
        return false;
      }
      return now - seen.atMs >= this.#reapMs;
    }).map(({ session }) => session);
  }
}

/**
 * Begins a session. Those of the same node have ended, as have nobody's, and those that the observation
 * finds silent. A node joins those that live; nobody's waits for their end.
 *
 * @returns `undefined` while nobody's session has to wait: to be asked again.
 */
export async function tryBegin(
  connection: Connection,
  { node, label, program = "" }: NodeIdentity,
  observation: Observation,
): Promise<BegunSession | undefined> {
  await lockSessions(connection);
  const live = await liveSessions(connection);
  const others = live.filter((one) => one.node !== NOBODY && one.node !== node);
  const silent = observation.silent(others);
  await connection.run(
    "UPDATE node_sessions SET state = 'dead' WHERE state = 'live' AND session_id = ANY($1)",
    [[...live.filter((one) => !others.includes(one)).map(({ session }) => session), ...silent]],
  );
  await giveLeasesBack(connection);
  const living = others.filter(({ session }) => !silent.includes(session));
  if (node === NOBODY && living.length > 0) {
    await connection.commit();
    return undefined;
  }
  const slot = freeSlot(living);
  const { rows } = await connection.run(
    `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
     SELECT max(session_id) + 1, $1, $2, 'live', 0, $3 FROM node_sessions RETURNING session_id`,
    [node, label, slot],
  );
  const session = Number(rows[0]!.session_id);
  await connection.run(
    `INSERT INTO node_beats (session_id, beat_no, begun_at, program)
     VALUES ($1, 0, ${SERVER_NOW}, $2)`,
    [session, program],
  );
  await adoptVideos(connection, session);
  await connection.commit();
  return { session, slot };
}

/** Locks out whoever else begins or ends sessions, until the transaction ends. */
async function lockSessions(connection: Connection): Promise<void> {
  await connection.runEach(
    ...BEGIN,
    "SELECT value FROM cluster_meta WHERE name = 'schema_version' FOR UPDATE",
  );
}

/**
 * Ends sessions that were seen silent, if they still are.
 *
 * @returns Those that this has ended, for whoever goes on with what they have left.
 */
export async function endSilent(
  connection: Connection,
  { silent, heir }: { readonly silent: readonly LiveSession[]; readonly heir: SessionId },
): Promise<readonly SessionId[]> {
  await lockSessions(connection);
  const ended: SessionId[] = [];
  for (const { session, beatNo } of silent) {
    const { count } = await connection.run(
      `UPDATE node_sessions SET state = 'dead' WHERE session_id = $1 AND state = 'live' AND $2 =
         coalesce((SELECT beat_no FROM node_beats WHERE session_id = $1), 0)`,
      [session, beatNo],
    );
    if (count === 1) ended.push(session);
  }
  await giveLeasesBack(connection);
  await adoptVideos(connection, heir);
  await connection.commit();
  return ended;
}

/** Films that ended sessions have left are a living one's to go on with. */
async function adoptVideos(connection: Connection, heir: SessionId): Promise<void> {
  await connection.run(
    `UPDATE video_tasks SET session_id = $1 WHERE (status = 'queued' OR status = 'in_progress')
       AND (session_id = 0 OR session_id IN
         (SELECT session_id FROM node_sessions WHERE state <> 'live'))`,
    [heir],
  );
}

/**
 * Gives back what ended sessions have leased, and makes their holds nobody's. None of them writes any
 * more: whoever ends one waits for what it is writing.
 */
async function giveLeasesBack(connection: Connection): Promise<void> {
  // In order, as whoever else locks several of them does.
  await connection.run(
    `SELECT id FROM projects WHERE id IN
       (SELECT project_id FROM leases WHERE session_id IN (${ENDED})) ORDER BY id FOR UPDATE`,
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

function freeSlot(living: readonly LiveSession[]): number {
  const taken = new Set(living.map(({ slot }) => slot));
  for (let slot = 0; slot < SLOTS; slot++) if (!taken.has(slot)) return slot;
  throw new StorageOpenError(
    `${SLOTS} processes use the database, and no more can: stop one that is not needed`,
  );
}

/** Ends a session in order, so that nobody has to wait for its silence. */
export async function endSession(connection: Connection, session: SessionId): Promise<void> {
  await connection.runEach(...BEGIN);
  await connection.run(
    "UPDATE node_sessions SET state = 'closed' WHERE session_id = $1 AND state = 'live'",
    [session],
  );
  await giveLeasesBack(connection);
  await connection.commit();
}

/** Those that have not ended, in their order. */
export async function liveSessions(connection: Connection): Promise<readonly LiveSession[]> {
  const { rows } = await connection.run(
    `SELECT node_sessions.session_id, node, label, slot, coalesce(beat_no, 0) AS beat_no
     FROM node_sessions LEFT JOIN node_beats ON node_beats.session_id = node_sessions.session_id
     WHERE state = 'live' ORDER BY node_sessions.session_id`,
    [],
  );
  return rows.map((row) => ({
    session: Number(row.session_id),
    node: row.node as string,
    label: row.label as string,
    slot: Number(row.slot),
    beatNo: row.beat_no as string,
  }));
}

/** Why a command, which does not wait, cannot use it. */
export function isInUse(label: string): StorageOpenError {
  return new StorageOpenError(
    `The database is in use by ${label}: run commands there, or stop that first`,
  );
}
