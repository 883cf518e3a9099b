/**
 * How a node sees the others: who lives, who has ended, what those have left that nobody goes on with,
 * and which projects' leases are wanted elsewhere. It looks every moment, over a connection of its own,
 * and ends sessions that it has found silent.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { Left } from "../ports/nodes.ts";
import { Connection, isFromServer, type PostgresPlace } from "./connection.ts";
import { inherit } from "./ended_sessions.ts";
import {
  endSilent,
  type LiveSession,
  liveSessions,
  NOBODY,
  Observation,
  REAP_MS,
} from "./session_register.ts";
import { SERVER_NOW } from "./sql.ts";

/** How often, how patiently, and who hears. */
export interface NodeWatchOptions {
  /** Milliseconds between two looks. Default 250. */
  readonly beatMs?: number;
  /** Milliseconds for which a session is silent before it has ended. Default 20,000. */
  readonly reapMs?: number;
  /** Whether it only looks: it ends nobody, and goes on with nothing. Default: it does not. */
  readonly isCommand?: boolean | undefined;
  /** Hears of sessions that this node has ended. */
  readonly onEnded: (sessions: readonly SessionId[]) => void;
  /** Hears of what is this node's to go on with, again and again until it is done. */
  readonly onLeft: (left: Left) => void;
  /** Hears of projects of which others need what this node has leased. */
  readonly onWanted: (projectIds: readonly string[]) => void;
}

const BEAT_MS = 250;
const DEADLINE_MS = 3_000;
/** Looks from one for what ended sessions have left to the next. */
const LOOKS_PER_INHERITANCE = 20;

/** Looks until it is stopped. */
export class NodeWatch {
  readonly #place: PostgresPlace;
  readonly #options: NodeWatchOptions;
  #connection: Connection | undefined;
  #observation: Observation;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();
  #looks = 0;
  /** Whether films may be this node's since a look whose end nobody has heard of. */
  #mayHaveFilms = false;
  #live: ReadonlySet<SessionId> = new Set();
  #newest: SessionId = 0;

  constructor(place: PostgresPlace, options: NodeWatchOptions) {
    this.#place = { ...place, deadlineMs: DEADLINE_MS };
    this.#options = options;
    this.#observation = this.#newObservation();
  }

  /** How many live, as of the last look. */
  get count(): number {
    return this.#live.size;
  }

  /** Whether a session will write nothing any more, as far as is known. */
  hasEnded(session: SessionId): boolean {
    return session <= this.#newest && !this.#live.has(session);
  }

  /** From now on; resolves after the first look. */
  async start(session: SessionId): Promise<void> {
    await (this.#looking = this.#look(session));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#connection?.close().catch(() => {});
    await this.#looking;
  }

  async #look(own: SessionId): Promise<void> {
    const begunAt = performance.now();
    try {
      const connection = await this.#connected();
      if (connection !== undefined) await this.#seeAll(connection, own);
    } catch (error) {
      await this.#recover(error);
    }
    if (this.#stopping.signal.aborted) return;
    const waitMs = Math.max(0, (this.#options.beatMs ?? BEAT_MS) - (performance.now() - begunAt));
    this.#timer = setTimeout(() => this.#looking = this.#look(own), waitMs);
  }

  /** `undefined` where it was stopped meanwhile: then nobody else would close what has been opened. */
  async #connected(): Promise<Connection | undefined> {
    if (this.#connection === undefined) {
      const opened = await Connection.open(this.#place, { signal: this.#stopping.signal });
      if (this.#stopping.signal.aborted) return void await opened.close();
      this.#connection = opened;
    }
    return this.#connection;
  }

  /** The next look is over a connection on which nothing is under way. */
  async #recover(error: unknown): Promise<void> {
    const connection = this.#connection;
    // The server has said it: it has met another transaction, and was seen all the time.
    if (isFromServer(error) && connection !== undefined) await connection.rollBack();
    if (isFromServer(error) && connection?.isLost === false) return;
    // The beat tells why the server does not answer. Whether others were silent, or the way to it,
    // nobody knows.
    this.#observation = this.#newObservation();
    this.#connection = undefined;
    connection?.close().catch(() => {});
  }

  async #seeAll(connection: Connection, own: SessionId): Promise<void> {
    const live = await liveSessions(connection);
    this.#live = new Set(live.map(({ session }) => session));
    this.#newest = Math.max(this.#newest, ...this.#live);
    if (this.#options.isCommand !== true) {
      const others = live.filter(({ session, node }) => session !== own && node !== NOBODY);
      const hasEnded = await this.#endSilent(connection, { others, own });
      if (this.#looks++ % LOOKS_PER_INHERITANCE === 0 || hasEnded) {
        await this.#inherit(connection, own);
      }
    }
    const { rows } = await connection.run(
      `SELECT project_id FROM leases JOIN projects ON projects.id = leases.project_id
       WHERE session_id = $1::bigint AND left_e8 > 0
         AND wanted_until > 0 AND wanted_until > (SELECT ${SERVER_NOW})`,
      [own],
    );
    if (rows.length > 0) this.#options.onWanted(rows.map(({ project_id }) => project_id as string));
  }

  /** Whether any has ended. */
  async #endSilent(
    connection: Connection,
    { others, own }: { readonly others: readonly LiveSession[]; readonly own: SessionId },
  ): Promise<boolean> {
    const silent = this.#observation.silent(others);
    if (silent.length === 0) return false;
    const ended = await endSilent(connection, {
      silent: others.filter(({ session }) => silent.includes(session)),
      heir: own,
    });
    this.#live = new Set([...this.#live].filter((session) => !ended.includes(session)));
    if (ended.length > 0) this.#options.onEnded(ended);
    return ended.length > 0;
  }

  async #inherit(connection: Connection, own: SessionId): Promise<void> {
    const mayHaveFilms = this.#mayHaveFilms;
    this.#mayHaveFilms = true;
    const { sessions, hasFilms } = await inherit(connection, own);
    this.#mayHaveFilms = false;
    const left = { sessions, hasFilms: hasFilms || mayHaveFilms };
    if (sessions.length > 0 || left.hasFilms) this.#options.onLeft(left);
  }

  #newObservation(): Observation {
    return new Observation(this.#options.reapMs ?? REAP_MS, () => {});
  }
}
