/**
 * How a session shows that it lives, and learns whether it still may write: a beat every moment, over a
 * connection of its own.
 *
 * @module
 */

import type { SessionId } from "../../domain/session.ts";
import type { ServerState } from "../ports/server_state.ts";
import { Connection, ConnectionLost, type PostgresPlace } from "./connection.ts";
import { SessionLost } from "./postgres_error.ts";

/** How often, and who hears of the end. */
export interface SessionBeatOptions {
  /** Milliseconds between two beats. Default 250. */
  readonly beatMs?: number;
  /** Hears once that the session has ended. */
  readonly onLost: (error: SessionLost) => void;
}

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
  #isStopped = false;
  #lastGood: Moment = momentNow();
  #answerMs = 0;
  #clockAheadMs = 0;
  #trouble: string | undefined;

  constructor(place: PostgresPlace, options: SessionBeatOptions) {
    this.#place = { ...place, deadlineMs: DEADLINE_MS };
    this.#options = options;
  }

  get state(): ServerState {
    return {
      silentMs: sinceMoment(this.#lastGood),
      answerMs: this.#answerMs,
      clockAheadMs: this.#clockAheadMs,
      trouble: this.#trouble,
    };
  }

  /** From now on, for a session that has just begun. */
  start(session: SessionId): void {
    this.#lastGood = momentNow();
    this.#beating = this.#beat(session);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearTimeout(this.#timer);
    await this.#connection?.close();
    await this.#beating;
  }

  async #beat(session: SessionId): Promise<void> {
    const begun = momentNow();
    try {
      const { isLive, now } = await this.#ask(session);
      if (this.#isStopped) return;
      if (!isLive) {
        return this.#options.onLost(
          new SessionLost(
            "This process was silent for so long that others took it for dead, or its data dir is in use twice",
          ),
        );
      }
      this.#answerMs = sinceMoment(begun);
      this.#clockAheadMs = begun.wall + this.#answerMs / 2 - now;
      this.#lastGood = begun;
      this.#trouble = undefined;
    } catch (error) {
      if (this.#isStopped) return;
      this.#trouble = error instanceof Error ? error.message : String(error);
    }
    const waitMs = Math.max(0, (this.#options.beatMs ?? BEAT_MS) - sinceMoment(begun));
    this.#timer = setTimeout(() => this.#beating = this.#beat(session), waitMs);
  }

  /** Not synced: a beat that a crash forgets has been one all the same. */
  async #ask(session: SessionId): Promise<{ readonly isLive: boolean; readonly now: number }> {
    if (this.#connection === undefined || this.#connection.isLost) {
      this.#connection = await Connection.open(this.#place);
    }
    if (this.#isStopped) throw new ConnectionLost("It was closed");
    const [, , counted, time] = await this.#connection.askEach(
      "BEGIN",
      "SET LOCAL synchronous_commit = off",
      `UPDATE node_beats SET beat_no = beat_no + 1 WHERE session_id = ${session} AND EXISTS
         (SELECT 1 FROM node_sessions WHERE session_id = ${session} AND state = 'live')`,
      "SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now",
      "COMMIT",
    );
    return { isLive: counted!.count === 1, now: Number(time!.rows[0]!.now) };
  }
}

/** By the clock that stands still while a machine is suspended, and by the one that is set now and then. */
interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

function momentNow(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** Milliseconds by whichever clock has gone further. */
function sinceMoment({ monotonic, wall }: Moment): number {
  return Math.max(performance.now() - monotonic, Date.now() - wall);
}
