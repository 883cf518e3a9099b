/**
 * How a session shows that it lives, and learns whether it still may write: a beat every moment, over a
 * connection of its own.
 *
 * @module
 */

import { type Instant, instantNow, sinceInstant } from "../../domain/instant.ts";
import type { SessionId } from "../../domain/session.ts";
import type {
  ConfigurationListener,
  ConfigurationVersion,
  Reached,
} from "../ports/configuration.ts";
import type { ServerState } from "../ports/server_state.ts";
import { SessionEnded, type SessionLost } from "../ports/session_lost.ts";
import { READ_VERSION } from "./configuration_store.ts";
import { Connection, ConnectionLost, isFromServer, type PostgresPlace } from "./connection.ts";
import { SERVER_NOW } from "./sql.ts";

/** How often, and who hears of the end. */
export interface SessionBeatOptions {
  /** Milliseconds between two beats. Default 250. */
  readonly beatMs?: number;
  /** Hears once that the session has ended. */
  readonly onLost: (error: SessionLost) => void;
  /** Hears of the configuration's version with every beat, and sooner where the server tells of it. */
  readonly onVersion?: ConfigurationListener;
  /** How far this node has come with the configuration; absent as long as it follows nothing. */
  readonly reached?: () => Reached | undefined;
  /** Whether the server is asked to tell of changes. Default: it is. */
  readonly listens?: boolean;
}

/** What nodes tell each other through the server: the configuration has another version. */
const CHANNEL = "tollgate_config";

const BEAT_MS = 250;
/** A beat that takes longer is none. */
const DEADLINE_MS = 3_000;

/** Beats until it is stopped. */
export class SessionBeat {
  readonly #place: PostgresPlace;
  readonly #options: SessionBeatOptions;
  #connection: Connection | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #beating: Promise<void> = Promise.resolve();
  #isStarted = false;
  readonly #stopping = new AbortController();
  #hasEnded = false;
  #lastGood: Instant = instantNow();
  #answerMs = 0;
  #clockAheadMs = 0;
  #trouble: string | undefined;

  constructor(place: PostgresPlace, options: SessionBeatOptions) {
    this.#place = { ...place, deadlineMs: DEADLINE_MS };
    this.#options = options;
  }

  get state(): Omit<ServerState, "writingMs"> {
    return {
      silentMs: sinceInstant(this.#lastGood),
      answerMs: this.#answerMs,
      clockAheadMs: this.#clockAheadMs,
      trouble: this.#trouble,
    };
  }

  /** Whether it beats, and has not been answered for so long. Whose session has ended beats no more. */
  isSilentFor(ms: number): boolean {
    if (!this.#isStarted || this.#stopping.signal.aborted || this.#hasEnded) return false;
    return sinceInstant(this.#lastGood) >= ms;
  }

  /** From now on, for a session that has just begun. */
  start(session: SessionId): void {
    this.#isStarted = true;
    this.#lastGood = instantNow();
    this.#beating = this.#beat(session);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await this.#connection?.close();
    await this.#beating;
  }

  async #beat(session: SessionId): Promise<void> {
    const begun = instantNow();
    try {
      const { isLive, now, version } = await this.#ask(session);
      if (this.#stopping.signal.aborted) return;
      if (!isLive) {
        this.#hasEnded = true;
        return this.#options.onLost(
          new SessionEnded(
            "This process was silent for so long that others took it for dead, or its data dir is in use twice",
          ),
        );
      }
      this.#answerMs = sinceInstant(begun);
      this.#clockAheadMs = begun.wall + this.#answerMs / 2 - now;
      this.#lastGood = begun;
      this.#trouble = undefined;
      this.#options.onVersion?.(version, begun);
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#trouble = error instanceof Error ? error.message : String(error);
    }
    const waitMs = Math.max(0, (this.#options.beatMs ?? BEAT_MS) - sinceInstant(begun));
    this.#timer = setTimeout(() => this.#beating = this.#beat(session), waitMs);
  }

  /** Tells the other nodes that the configuration has another version; those that do not hear it have it with their next beat. */
  async tell(version: ConfigurationVersion): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined || connection.isLost) return;
    try {
      await connection.runEach(`NOTIFY ${CHANNEL}, '${version}'`);
    } catch (error) {
      if (!isDispensable(error)) throw error;
    }
  }

  /** Not synced: a beat that a crash forgets has been one all the same. */
  async #ask(session: SessionId): Promise<Heard> {
    if (this.#connection === undefined || this.#connection.isLost) {
      this.#connection = await Connection.open(this.#place, { signal: this.#stopping.signal });
      if (this.#options.listens ?? true) await this.#listen(this.#connection);
    }
    if (this.#stopping.signal.aborted) throw new ConnectionLost("It was closed");
    const [, , counted, time, configuration] = await this.#connection.askEach(
      "BEGIN",
      "SET LOCAL synchronous_commit = off",
      `UPDATE node_beats SET beat_no = beat_no + 1, ${this.#facts()}
         WHERE session_id = ${session} AND EXISTS
         (SELECT 1 FROM node_sessions WHERE session_id = ${session} AND state = 'live')`,
      "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now",
      READ_VERSION,
      "COMMIT",
    );
    return {
      isLive: counted!.count === 1,
      now: Number(time!.rows[0]!.now),
      version: Number(configuration!.rows[0]!.value),
    };
  }

  /** What whoever looks at nodes is told. */
  #facts(): string {
    const { version, ageMs } = this.#options.reached?.() ?? NOTHING_REACHED;
    return `beaten_at = ${SERVER_NOW}, clock_ahead_ms = ${Math.round(this.#clockAheadMs)},
         config_version = ${version}, config_age_ms = ${Math.round(ageMs)}`;
  }

  /** Through some poolers nothing is ever heard, and some engines have no such thing. */
  async #listen(connection: Connection): Promise<void> {
    connection.onNotice = (payload) => this.#options.onVersion?.(Number(payload), undefined);
    try {
      await connection.runEach(`LISTEN ${CHANNEL}`);
    } catch (error) {
      if (!isDispensable(error)) throw error;
    }
  }
}

const NOTHING_REACHED: Reached = { version: 0, ageMs: 0 };

/** What a beat has brought. */
interface Heard {
  readonly isLive: boolean;
  /** Milliseconds since the epoch by the server's clock. */
  readonly now: number;
  readonly version: ConfigurationVersion;
}

/** The beats bring what nobody tells of. */
function isDispensable(error: unknown): boolean {
  return isFromServer(error) || error instanceof ConnectionLost;
}
