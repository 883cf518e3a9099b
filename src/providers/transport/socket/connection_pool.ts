/**
 * Connections that wait for their next exchange, by origin.
 *
 * @module
 */

import type { Clock } from "../../../domain/clock.ts";
import type { Origin } from "./dial.ts";
import type { UpstreamSocket } from "./upstream_socket.ts";

/** Servers close idle connections after 60 s and more; so that we are first, ours wait less. */
const IDLE_MS = 20_000;
const SWEEP_MS = 5_000;
/** Idle connections kept for one origin. */
const MOST_IDLE = 256;

/** Keeps idle connections; the one used last is used first. */
export class ConnectionPool {
  readonly #clock: Clock;
  readonly #idle = new Map<string, UpstreamSocket[]>();
  #sweeper: ReturnType<typeof setInterval> | undefined;
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An idle connection that is still open, if there is one. */
  take({ key }: Origin): UpstreamSocket | undefined {
    const idle = this.#idle.get(key);
    for (let socket = idle?.pop(); socket !== undefined; socket = idle?.pop()) {
      // Closed by the upstream, or it has sent something nobody asked for.
      if (!socket.ended && socket.buffered === 0) {
        socket.ref();
        socket.reused = true;
        return socket;
      }
      socket.close();
    }
    return undefined;
  }

  /** Takes a connection back whose exchange has ended properly. */
  give({ key }: Origin, socket: UpstreamSocket): void {
    let idle = this.#idle.get(key);
    if (idle === undefined) this.#idle.set(key, idle = []);
    if (this.#closed || idle.length >= MOST_IDLE || socket.buffered > 0 || socket.ended) {
      socket.close();
      return;
    }
    socket.idleSince = this.#clock.monotonic();
    // Notices when the upstream closes it, and is the first read of the next exchange.
    socket.fill();
    socket.unref();
    idle.push(socket);
    this.#sweeper ??= this.#startSweeper();
  }

  /** Closes all idle connections, and every one given back later. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#sweeper);
    for (const idle of this.#idle.values()) for (const socket of idle) socket.close();
    this.#idle.clear();
  }

  #startSweeper(): ReturnType<typeof setInterval> {
    const timer = setInterval(() => this.#sweep(), SWEEP_MS);
    Deno.unrefTimer(timer);
    return timer;
  }

  #sweep(): void {
    const before = this.#clock.monotonic() - IDLE_MS;
    for (const [key, idle] of this.#idle) {
      const kept = idle.filter((socket) => !socket.ended && socket.idleSince >= before);
      for (const socket of idle) if (!kept.includes(socket)) socket.close();
      if (kept.length === 0) this.#idle.delete(key);
      else this.#idle.set(key, kept);
    }
    if (this.#idle.size > 0) return;
    clearInterval(this.#sweeper);
    this.#sweeper = undefined;
  }
}
