/**
 * Idle connections, by origin: the one used last serves first.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { Connection } from "./connection.ts";

/** Connections kept per origin; more come and go with their requests. */
const MAX_IDLE_PER_ORIGIN = 256;
/** Those idle for longer are closed: some network between may have forgotten them without a word. */
const MAX_IDLE_MS = 30_000;
/** A busy connection is given up after this: its host's name may mean another machine by now. */
const MAX_AGE_MS = 600_000;

/** The idle connections of a transport. */
export class ConnectionPool {
  readonly #clock: Clock;
  readonly #idle = new Map<string, Connection[]>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Whether {@linkcode take} would find one. */
  hasIdle(origin: string): boolean {
    const newest = this.#idle.get(origin)?.at(-1);
    return newest !== undefined && newest.idleUntil >= this.#clock.monotonic();
  }

  /** A connection to the origin that was open a moment ago. */
  take(origin: string): Connection | undefined {
    const connections = this.#idle.get(origin);
    if (connections === undefined || connections.length === 0) return undefined;
    const now = this.#clock.monotonic();
    this.#closeOld(connections, now);
    let connection = connections.pop();
    while (connection !== undefined && connection.idleUntil < now) {
      connection.close();
      connection = connections.pop();
    }
    connection?.becomeBusy();
    return connection;
  }

  /**
   * Keeps a connection whose last answer was read to its end.
   *
   * @param keepMs How long the other side keeps it, as far as it says so.
   */
  give(origin: string, connection: Connection, keepMs = Infinity): void {
    let connections = this.#idle.get(origin);
    if (connections === undefined) this.#idle.set(origin, connections = []);
    const now = this.#clock.monotonic();
    this.#closeOld(connections, now);
    connection.retiresAt ||= now + MAX_AGE_MS;
    const isUsable = keepMs > 0 && now < connection.retiresAt;
    if (this.#isClosed || !isUsable || connections.length >= MAX_IDLE_PER_ORIGIN) {
      connection.close();
      return;
    }
    connection.idleUntil = now + Math.min(keepMs, MAX_IDLE_MS);
    connections.push(connection);
    connection.onGone ??= (gone) => {
      gone.close();
      const at = connections.indexOf(gone);
      if (at >= 0) connections.splice(at, 1);
    };
    connection.becomeIdle();
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
    while (connections.length > 0 && connections[0]!.idleUntil < now) {
      connections.shift()!.close();
    }
  }
}
