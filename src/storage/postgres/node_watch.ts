/**
 * How a node sees the others: who lives, who has ended, and which projects' leases are wanted elsewhere.
 * It looks every moment, over a connection of its own, and ends sessions that it has found silent.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import { Connection, type PostgresPlace } from "./connection.ts";
import { endSilent, liveSessions, NOBODY, Observation, REAP_MS } from "./session_register.ts";

/** How often, how patiently, and who hears. */
export interface NodeWatchOptions {
  /** Milliseconds between two looks. Default 250. */
  readonly beatMs?: number;
  /** Milliseconds for which a session is silent before it has ended. Default 20,000. */
  readonly reapMs?: number;
  /** Hears of sessions that this node has ended: what they have left is this one's to go on with. */
  readonly onEnded: (sessions: readonly SessionId[]) => void;
  /** Hears of projects of which others need what this node has leased. */
  readonly onWanted: (projectIds: readonly string[]) => void;
}

const BEAT_MS = 250;
const DEADLINE_MS = 3_000;

/** Looks until it is stopped. */
export class NodeWatch {
  readonly #place: PostgresPlace;
  readonly #options: NodeWatchOptions;
  #connection: Connection | undefined;
  #observation: Observation;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #looking: Promise<void> = Promise.resolve();
  #isStopped = false;
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
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#connection?.close().catch(() => {});
    await this.#looking;
  }

  async #look(own: SessionId): Promise<void> {
    const begunAt = performance.now();
    try {
      await this.#seeAll(own);
    } catch {
      // The beat tells why the server does not answer. Whether others were silent, or the way to it,
      // nobody knows.
      this.#observation = this.#newObservation();
      this.#connection?.close().catch(() => {});
      this.#connection = undefined;
    }
    if (this.#isStopped) return;
    const waitMs = Math.max(0, (this.#options.beatMs ?? BEAT_MS) - (performance.now() - begunAt));
    this.#timer = setTimeout(() => this.#looking = this.#look(own), waitMs);
  }

  async #seeAll(own: SessionId): Promise<void> {
    const connection = this.#connection ??= await Connection.open(this.#place);
    const live = await liveSessions(connection);
    this.#live = new Set(live.map(({ session }) => session));
    this.#newest = Math.max(this.#newest, ...this.#live);
    const others = live.filter(({ session, node }) => session !== own && node !== NOBODY);
    const silent = this.#observation.silent(others);
    if (silent.length > 0) {
      const ended = await endSilent(connection, {
        silent: others.filter(({ session }) => silent.includes(session)),
        heir: own,
      });
      this.#live = new Set([...this.#live].filter((session) => !ended.includes(session)));
      if (ended.length > 0) this.#options.onEnded(ended);
    }
    const { rows } = await connection.run(
      `SELECT project_id FROM leases JOIN projects ON projects.id = leases.project_id
       WHERE session_id = $1 AND left_e8 > 0
         AND wanted_until > floor(extract(epoch FROM clock_timestamp()) * 1000)`,
      [own],
    );
    if (rows.length > 0) this.#options.onWanted(rows.map(({ project_id }) => project_id as string));
  }

  #newObservation(): Observation {
    return new Observation(this.#options.reapMs ?? REAP_MS, () => {});
  }
}
