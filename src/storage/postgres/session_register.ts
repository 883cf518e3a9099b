/**
 * Sessions in the database: who has begun one, and whether it lives. No clock is compared with another:
 * a session is dead when its beats have stood still for so long by the clock of whoever looks, over one
 * connection that was good all the time.
 *
 * @module
 */

import type { AwaitedSession, NodeIdentity, SessionId } from "../../domain/session.ts";
import { StorageOpenError } from "../ports/storage_open_error.ts";
import type { Connection } from "./connection.ts";
import { closeEmptyBooks, giveLeasesBack, inherit } from "./ended_sessions.ts";
import { refuseMoved } from "./move_mark.ts";
import { mayRunAgain } from "./postgres_error.ts";
import { SCHEMA_VERSION } from "./schema/versions.ts";
import { isWorkable, lockSchema } from "./schema_state.ts";
import { SERVER_NOW } from "./sql.ts";

/**
 * Of sessions that are nobody's who could show that it lives: each has the database to itself, where
 * nodes share it.
 */
export const NOBODY = "";

/** Less than what makes a session silent: whoever takes its place then finds nothing locked. */
const IDLE_MS = 10_000;
/** Others that end a session at the same time may be met more than once. */
const MOST_ENDINGS = 10;

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

/** Of the time after which a session is silent: whoever has not looked for longer has stood still. */
const STANDSTILL = 1 / 4;

/** What one connection has seen of the sessions that are others'. */
export class Observation {
  readonly #reapMs: number;
  readonly #onInUse: (label: string) => void;
  readonly #now: () => number;
  readonly #seen: Map<SessionId, { readonly beatNo: string; readonly atMs: number }> = new Map();
  #lookedAt: number | undefined;
  #told: SessionId | undefined;

  /**
   * @param onInUse Hears once of each that lives; it throws where nobody is to wait for its end.
   * @param now Milliseconds by a clock that nobody sets.
   */
  constructor(
    reapMs: number,
    onInUse: (label: string) => void,
    now: () => number = () => performance.now(),
  ) {
    this.#reapMs = reapMs;
    this.#onInUse = onInUse;
    this.#now = now;
  }

  /** Those that are silent for so long that they have ended. */
  silent(others: readonly LiveSession[]): readonly SessionId[] {
    const now = this.#now();
    // Whoever stood still may have done so together with all others: they are given their time again.
    const stoodStill = now - (this.#lookedAt ?? now) > this.#reapMs * STANDSTILL;
    this.#lookedAt = now;
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
      if (stoodStill) this.#seen.set(session, { beatNo, atMs: now });
      return !stoodStill && now - seen.atMs >= this.#reapMs;
    }).map(({ session }) => session);
  }
}

/**
 * Begins a session. Those of the same node have ended, as have nobody's, and those that the observation
 * finds silent. It joins those that live, unless it needs to be alone: then it waits for their end.
 *
 * @param options `leftByRuns`: of moves by which the database's content may have gone, all the same.
 * `onWait` hears each time of those that it waits for.
 * @returns `undefined` while it has to wait: to be asked again.
 * @throws {StorageOpenError} If the database's content has gone elsewhere, perhaps while this waited.
 */
export async function tryBegin(
  connection: Connection,
  { node, label, program = "", isCommand = false, isAlone = false }: NodeIdentity,
  { observation, leftByRuns, onWait }: {
    readonly observation: Observation;
    readonly leftByRuns: readonly string[] | undefined;
    readonly onWait: (others: readonly LiveSession[]) => void;
  },
): Promise<BegunSession | undefined> {
  await lockSessions(connection);
  await refuseMoved(connection, leftByRuns);
  const live = await liveSessions(connection);
  const others = live.filter((one) => one.node !== NOBODY && one.node !== node);
  const silent = observation.silent(others);
  const own = live.filter((one) => !others.includes(one)).map(({ session }) => session);
  await endSessions(connection, [...own, ...silent]);
  await giveLeasesBack(connection);
  await closeEmptyBooks(connection);
  const living = others.filter(({ session }) => !silent.includes(session));
  if (isAlone && living.length > 0) {
    await connection.commit();
    onWait(living);
    return undefined;
  }
  const slot = freeSlot(living);
  const { rows } = await connection.run(
    `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
     SELECT max(session_id) + 1, $1::text, $2::text, 'live', 0, $3::bigint FROM node_sessions RETURNING session_id`,
    [node, label, slot],
  );
  const session = Number(rows[0]!.session_id);
  await connection.run(
    `INSERT INTO node_beats (session_id, beat_no, begun_at, program, schema_version)
     VALUES ($1, 0, ${SERVER_NOW}, $2, ${SCHEMA_VERSION})`,
    [session, program],
  );
  if (!isCommand) await inherit(connection, session);
  await connection.commit();
  return { session, slot };
}

/**
 * Locks out whoever else begins or ends sessions, until the transaction ends.
 *
 * @throws {StorageOpenError} If a newer version has changed the schema meanwhile.
 */
export async function lockSessions(connection: Connection): Promise<void> {
  if (!isWorkable(await lockSchema(connection, BEGIN))) {
    throw new StorageOpenError("The database's schema was set back: start this program again");
  }
}

/** Ends sessions that are silent, or whose place another takes: nothing of theirs is written any more. */
export async function endSessions(
  connection: Connection,
  sessions: readonly SessionId[],
): Promise<void> {
  await connection.run(
    "UPDATE node_sessions SET state = 'dead' WHERE state = 'live' AND session_id = ANY($1)",
    [sessions],
  );
}

/**
 * Ends sessions that were seen silent, if they still are, and makes the heir the one that goes on with
 * what they have left.
 *
 * @returns Those that this has ended, none where the heir has ended itself.
 */
export async function endSilent(
  connection: Connection,
  { silent, heir }: { readonly silent: readonly LiveSession[]; readonly heir: SessionId },
): Promise<readonly SessionId[]> {
  await lockSessions(connection);
  const ended: SessionId[] = [];
  for (const { session, beatNo } of silent) {
    const { count } = await connection.run(
      `UPDATE node_sessions SET state = 'dead', heir = $3::bigint
       WHERE session_id = $1::bigint AND state = 'live'
         AND $2::bigint = coalesce((SELECT beat_no FROM node_beats WHERE session_id = $1::bigint), 0)
         AND EXISTS (SELECT 1 FROM node_sessions AS heirs
           WHERE heirs.session_id = $3::bigint AND heirs.state = 'live')`,
      [session, beatNo, heir],
    );
    if (count === 1) ended.push(session);
  }
  await giveLeasesBack(connection);
  await connection.commit();
  return ended;
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
  for (let tries = 1;; tries++) {
    try {
      return await tryEnding(connection, session);
    } catch (error) {
      await connection.rollBack();
      if (!mayRunAgain(error) || tries === MOST_ENDINGS) throw error;
    }
  }
}

async function tryEnding(connection: Connection, session: SessionId): Promise<void> {
  await connection.runEach(...BEGIN);
  await connection.run(
    "UPDATE node_sessions SET state = 'closed' WHERE session_id = $1 AND state = 'live'",
    [session],
  );
  await giveLeasesBack(connection);
  await connection.commit();
}

const LIVE = `SELECT node_sessions.session_id, node, label, slot, coalesce(beat_no, 0) AS beat_no
  FROM node_sessions LEFT JOIN node_beats ON node_beats.session_id = node_sessions.session_id
  WHERE state = 'live'`;
const LIVE_IN_ORDER = `${LIVE} ORDER BY node_sessions.session_id`;
const LIVE_OLDER = `${LIVE} AND coalesce(schema_version, 0) < $1 AND node <> $2 AND node <> $3`;

/** Those that have not ended, in their order. */
export async function liveSessions(connection: Connection): Promise<readonly LiveSession[]> {
  return (await connection.run(LIVE_IN_ORDER, [])).rows.map(toLiveSession);
}

/** Of those, whose programs know an older version of the schema only: of nodes, but for one. */
export async function olderSessions(
  connection: Connection,
  { least, node }: { readonly least: number; readonly node: string },
): Promise<readonly LiveSession[]> {
  return (await connection.run(LIVE_OLDER, [least, node, NOBODY])).rows.map(toLiveSession);
}

function toLiveSession(row: Readonly<Record<string, unknown>>): LiveSession {
  return {
    session: Number(row.session_id),
    node: row.node as string,
    label: row.label as string,
    slot: Number(row.slot),
    beatNo: row.beat_no as string,
  };
}

/** Hears once of each session whose end is waited for. */
export type WaitListener = (awaited: AwaitedSession) => void;

/** Tells of each once, however often it is met. @param silentMs After which silence it has ended. */
export function tellingOnce(
  onWait: WaitListener | undefined,
  silentMs: number,
): (others: readonly LiveSession[]) => void {
  const told = new Set<SessionId>();
  return (others) => {
    for (const { session, label } of others.filter((one) => !told.has(one.session))) {
      told.add(session);
      onWait?.({ session, label, silentMs });
    }
  };
}

/**
 * Of a session that lives, where nobody waits for its end.
 *
 * @throws {StorageOpenError} Naming it.
 */
export function refuseInUse(label: string): never {
  throw new StorageOpenError(
    `The database is in use by ${label}: run commands there, or stop that first`,
  );
}

/** Why its tables are not changed yet. */
export function isOutdated(label: string): StorageOpenError {
  return new StorageOpenError(
    `The database is in use by ${label}, whose version cannot work with it once this one has changed ` +
      "it: stop all nodes of that version first (tollgate nodes list), or start them with a version between",
  );
}
