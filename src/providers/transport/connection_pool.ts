/**
 * Idle connections, by origin: the one used last serves first.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Connection } from "./connection.ts";

/** Connections kept per origin; more come and go with their requests. */
const MAX_IDLE_PER_ORIGIN = 64;
/** Older ones are closed: some network between may have forgotten them without a word. */
const MAX_IDLE_MS = 30_000;

/** The idle connections of a transport. */
export class ConnectionPool {
  readonly #clock: Clock;
  readonly #idle = new Map<string, Connection[]>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A connection to the origin that was open a moment ago. */
  take(origin: string): Connection | undefined {
    const connections = this.#idle.get(origin);
    if (connections === undefined || connections.length === 0) return undefined;
    this.#closeOld(connections, this.#clock.monotonic());
    const connection = connections.pop();
    connection?.becomeBusy();
    return connection;
  }

  /** Keeps a connection whose last answer was read to its end. */
  give(origin: string, connection: Connection): void {
    let connections = this.#idle.get(origin);
    if (connections === undefined) this.#idle.set(origin, connections = []);
    const now = this.#clock.monotonic();
    this.#closeOld(connections, now);
    if (this.#isClosed || connections.length >= MAX_IDLE_PER_ORIGIN) {
      connection.close();
      return;
    }
    connections.push(connection);
    connection.onGone ??= (gone) => {
      gone.close();
      const at = connections.indexOf(gone);
      if (at >= 0) connections.splice(at, 1);
    };
    connection.becomeIdle(now);
  }

  /** Closes all; connections given later are closed at once. */
  close(): void {
    this.#isClosed = true;
    for (const connections of this.#idle.values()) {
      for (const connection of connections) connection.close();
    }
    this.#idle.clear();
  }

  /** The oldest come first, because the newest are taken first. */
  #closeOld(connections: Connection[], now: number): void {
    const limit = now - MAX_IDLE_MS;
    while (connections.length > 0 && connections[0]!.idleSince < limit) {
      connections.shift()!.close();
    }
  }
}
