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

/** Of sessions that are nobody's who could show that it lives. */
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

interface LiveSession {
  readonly session: SessionId;
  readonly node: string;
  readonly label: string;
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
 * Begins a session where no other lives: those of the same node have ended, as have those that the
 * observation finds silent.
 *
 * @returns `undefined` while another one lives or may live: to be asked again.
 */
export async function tryBegin(
  connection: Connection,
  { node, label }: NodeIdentity,
  observation: Observation,
): Promise<SessionId | undefined> {
  // Whoever else begins one waits.
  await connection.runEach(
    ...BEGIN,
    "SELECT value FROM cluster_meta WHERE name = 'schema_version' FOR UPDATE",
  );
  const live = await liveSessions(connection);
  const others = live.filter((one) => one.node !== NOBODY && one.node !== node);
  const silent = observation.silent(others);
  await connection.run(
    "UPDATE node_sessions SET state = 'dead' WHERE state = 'live' AND session_id = ANY($1)",
    [[...live.filter((one) => !others.includes(one)).map(({ session }) => session), ...silent]],
  );
  if (silent.length < others.length) {
    await connection.commit();
    return undefined;
  }
  const { rows } = await connection.run(
    `INSERT INTO node_sessions (session_id, node, label, state, batch_no)
     SELECT max(session_id) + 1, $1, $2, 'live', 0 FROM node_sessions RETURNING session_id`,
    [node, label],
  );
  const session = Number(rows[0]!.session_id);
  await connection.run("INSERT INTO node_beats (session_id, beat_no) VALUES ($1, 0)", [session]);
  await connection.commit();
  return session;
}

/** Ends a session in order, so that nobody has to wait for its silence. */
export async function endSession(connection: Connection, session: SessionId): Promise<void> {
  await connection.run(
    "UPDATE node_sessions SET state = 'closed' WHERE session_id = $1 AND state = 'live'",
    [session],
  );
}

async function liveSessions(connection: Connection): Promise<readonly LiveSession[]> {
  const { rows } = await connection.run(
    `SELECT node_sessions.session_id, node, label, coalesce(beat_no, 0) AS beat_no
     FROM node_sessions LEFT JOIN node_beats ON node_beats.session_id = node_sessions.session_id
     WHERE state = 'live' ORDER BY node_sessions.session_id`,
    [],
  );
  return rows.map((row) => ({
    session: Number(row.session_id),
    node: row.node as string,
    label: row.label as string,
    beatNo: row.beat_no as string,
  }));
}

/** Why a command, which does not wait, cannot use it. */
export function isInUse(label: string): StorageOpenError {
  return new StorageOpenError(
    `The database is in use by ${label}: run commands there, or stop that first`,
  );
}
