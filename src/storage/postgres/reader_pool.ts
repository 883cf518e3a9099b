/**
 * Connections that read: a few, made when they are needed. What they are asked may be asked again, so it
 * is where a connection is lost: reads, and single writes that come to the same when they are repeated.
 *
 * @module
 */

import { Turns } from "../../domain/turns.ts";
import { type Answer, Ask } from "./ask.ts";
import {
  askOver,
  Connection,
  ConnectionLost,
  NothingSent,
  type PostgresPlace,
} from "./connection.ts";

/** Readers at one time; whoever comes then waits. */
const MOST_READERS = 4;
/** How often whoever waits for a turn looks whether it is still worth it. */
const LOOK_EVERY_MS = 100;

/** A few connections, each for one at a time. */
export class ReaderPool {
  readonly #place: PostgresPlace;
  readonly #idle: Connection[] = [];
  readonly #turns = new Turns(MOST_READERS);
  readonly #busy: Set<Connection> = new Set();
  readonly #isAway: () => boolean;
  #isClosed = false;

  /** Each statement by whichever connection has nothing to do. */
  readonly ask: Ask = new Ask((text, values, types) =>
    this.#with<Answer>((connection) => connection.run(text, values, { types }))
  );

  /** @param isAway Whether the server is known to say nothing: nobody is made to wait for it then. */
  constructor(place: PostgresPlace, isAway: () => boolean = () => false) {
    this.#place = place;
    this.#isAway = isAway;
  }

  /** Reads what has to fit together as it is at one moment, whoever writes meanwhile. */
  atOnce<Result>(read: (ask: Ask) => Promise<Result>): Promise<Result> {
    return this.#with(async (connection) => {
      await connection.runEach("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      try {
        return await read(askOver(connection));
      } finally {
        await connection.rollBack();
      }
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all([...this.#idle, ...this.#busy].map((connection) => connection.close()));
  }

  async #with<Result>(use: (connection: Connection) => Promise<Result>): Promise<Result> {
    if (this.#isAway()) throw saysNothing();
    if (!this.#turns.areTaken) return await this.#use(use);
    // Those whose turn it is may have been asking when it fell silent, and wait for long.
    const away = new AbortController();
    const looking = setInterval(() => {
      if (this.#isAway()) away.abort(saysNothing());
    }, LOOK_EVERY_MS);
    try {
      return await this.#use(use, away.signal);
    } finally {
      clearInterval(looking);
    }
  }

  #use<Result>(
    use: (connection: Connection) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    return this.#turns.take(async () => {
      for (let isFirst = true;; isFirst = false) {
        if (this.#isAway()) {
          throw isFirst ? saysNothing() : new ConnectionLost("The database server says nothing");
        }
        const idle = this.#idle.pop();
        const connection = idle ?? await this.#open();
        this.#busy.add(connection);
        try {
          return await use(connection);
        } catch (error) {
          // One that was idle may have been lost long ago: that is no news of the server.
          const isStale = idle !== undefined && error instanceof ConnectionLost;
          if (!isStale || this.#isClosed) throw error;
        } finally {
          this.#busy.delete(connection);
          if (!connection.isLost) this.#idle.push(connection);
        }
      }
    }, signal);
  }

  #open(): Promise<Connection> {
    if (this.#isClosed) return Promise.reject(new Error("The database is closed"));
    return Connection.open(this.#place);
  }
}

function saysNothing(): NothingSent {
  return new NothingSent("The database server says nothing");
}
