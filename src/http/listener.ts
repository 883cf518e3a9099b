/**
 * The listening side: accepts connections over TCP or a unix socket and serves HTTP/1.1 on them.
 *
 * It speaks the protocol itself, over plain sockets, because the runtime's servers keep the
 * sockets to themselves: none of them can close a connection on a slow head, a slow body or a
 * stalled reader, or outlive the loss of all descriptors.
 *
 * @module
 */
import { setImmediate } from "node:timers";
import { isOutOfDescriptors } from "../domain/out_of_descriptors.ts";
import { Connection } from "./listener/connection.ts";
import type { ConnectionContext } from "./listener/connection_context.ts";
import type {
  ListenerLimits,
  QuickHandler,
  RefusalWriter,
  RequestHandler,
} from "./listener/contract.ts";
import type { RefusedHead } from "./listener/request_head.ts";
import { ConnectionSet } from "./listener/connection_set.ts";
import { readPeer } from "./listener/passage.ts";
import { addressOf } from "./listener/peer_group.ts";
import { dateLine } from "./listener/response_head.ts";

/** Something that is being listened on. */
export interface Listener {
  readonly address: Deno.NetAddr | Deno.UnixAddr;
  /** Connections that hold a descriptor. */
  readonly openConnections: number;
  /** Stops accepting and closes idle connections; resolves when all answers in flight ended. */
  drain(): Promise<void>;
  /** Resolves, once it drains, when no answer of a known length is under way, or may yet begin: no file, say. */
  downloaded(): Promise<void>;
  /** Stops accepting and closes every connection at once. */
  close(): void;
}

/** Where to listen, and how. */
export interface ListenOptions {
  /** Default 127.0.0.1. */
  readonly hostname?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Listen on this path instead; it must not exist, gets mode 0600, and is removed at the end. */
  readonly unixPath?: string;
  /** Whether other threads listen at the same port, and the system spreads connections over them. */
  readonly reusePort?: boolean;
  /** Whether its connections were another listener's, and begin with whose they are. */
  readonly isPassedOn?: true;
  /** Opens a connection to the listener that requests are passed on to; absent: none are. */
  readonly openPassage?: () => Promise<Deno.Conn>;
  /** Whether a connection is closed once it has answered a request; default: clients may keep it. */
  readonly isLast?: (request: Request) => boolean;
  /** Asked before the handler, of requests that came in one piece; absent: nobody is. */
  readonly quick?: QuickHandler | undefined;
  readonly limits?: Partial<ListenerLimits>;
  /** Hears of failed handlers, failed response bodies and failed accepts; default: standard error. */
  readonly onError?: (error: unknown) => void;
  /** Answers what is no proper HTTP; default: the message in the shape of an error. */
  readonly refusal?: RefusalWriter;
}

/** Of descriptors that are all used, what is left for everything else (upstream connections, files). */
const SPARE_DESCRIPTORS = 64;
const SPARE_SHARE = 1 / 4;
const ACCEPT_PAUSE_MS = 50;
const MAX_SWEEP_MS = 1000;
const MIN_SWEEP_MS = 5;

/**
 * Listens and serves until drained or closed.
 *
 * @throws what `Deno.listen` throws, e.g. `Deno.errors.AddrInUse`
 */
export function listen(handler: RequestHandler, options: ListenOptions = {}): Listener {
  return new SocketListener(handler, options);
}

class SocketListener implements Listener {
  readonly address: Deno.NetAddr | Deno.UnixAddr;
  readonly #socket: Deno.Listener;
  readonly #context: ConnectionContext;
  readonly #connections = new ConnectionSet();
  readonly #timer: ReturnType<typeof setInterval>;
  readonly #drained = Promise.withResolvers<void>();
  readonly #downloaded = Promise.withResolvers<void>();
  readonly #isPassedOn: boolean;
  #accepting = true;
  /** Connections allowed now: less than the limit while descriptors are short. */
  #ceiling: number;

  constructor(handler: RequestHandler, options: ListenOptions) {
    const limits: ListenerLimits = {
      headerTimeoutMs: 15_000,
      keepAliveMs: 65_000,
      bodyMinBytesPerSecond: 1024,
      bodySilenceMs: 15_000,
      stalledReaderMs: 60_000,
      maxConnections: Number.POSITIVE_INFINITY,
      maxPerAddress: undefined,
      ...options.limits,
    };
    this.#socket = options.unixPath === undefined
      ? Deno.listen({
        hostname: options.hostname ?? "127.0.0.1",
        port: options.port ?? 0,
        ...(options.reusePort === true && { reusePort: true }),
      })
      : listenPrivately(options.unixPath);
    this.#isPassedOn = options.isPassedOn === true;
    this.address = this.#socket.addr as Deno.NetAddr | Deno.UnixAddr;

    const shortestMs = Math.min(
      limits.headerTimeoutMs,
      limits.keepAliveMs,
      limits.bodySilenceMs,
      limits.stalledReaderMs,
    );
    const sweepMs = Math.min(MAX_SWEEP_MS, Math.max(MIN_SWEEP_MS, shortestMs / 4));
    this.#context = {
      handler,
      quick: options.quick,
      limits,
      clock: { nowMs: performance.now(), dateLine: dateLine(Date.now()) },
      onError: guarded(options.onError ?? printError),
      refusal: options.refusal ?? plainRefusal,
      openPassage: options.openPassage,
      isLast: options.isLast,
      slackMs: sweepMs,
      draining: false,
    };
    this.#ceiling = limits.maxConnections;
    this.#timer = setInterval(() => this.#sweep(), sweepMs);
    this.#accept();
  }

  get openConnections(): number {
    return this.#connections.size;
  }

  drain(): Promise<void> {
    this.#stopAccepting();
    this.#context.draining = true;
    for (const connection of this.#connections) connection.closeIfIdle();
    this.#endIfDrained();
    return this.#drained.promise;
  }

  downloaded(): Promise<void> {
    return this.#downloaded.promise;
  }

  close(): void {
    this.#stopAccepting();
    this.#context.draining = true;
    const reason = new DOMException("The server is closing", "AbortError");
    for (const connection of this.#connections) connection.close(reason);
    clearInterval(this.#timer);
    this.#downloaded.resolve();
    this.#drained.resolve();
  }

  async #accept(): Promise<void> {
    let failing = false;
    while (this.#accepting) {
      let conn: Deno.Conn;
      try {
        conn = await this.#socket.accept();
        failing = false;
      } catch (error) {
        if (!this.#accepting) return;
        // Nobody waits because of a stranger's connection.
        if (wasLeft(error)) continue;
        if (!failing) this.#context.onError(error); // once, however long it lasts
        failing = true;
        if (isOutOfDescriptors(error)) this.#makeRoom();
        await new Promise((resolve) => setTimeout(resolve, ACCEPT_PAUSE_MS));
        continue;
      }
      if (this.#isPassedOn) this.#admitPassedOn(conn);
      else this.#admit(conn, addressOf(conn));
      // Each has closed another, whose descriptor is free with the next turn.
      if (this.#connections.size >= this.#ceiling) {
        await new Promise((resolve) => setImmediate(resolve));
      }
    }
  }

  async #admitPassedOn(conn: Deno.Conn): Promise<void> {
    const peer = await readPeer(conn).catch(() => undefined);
    if (peer === undefined) conn.close();
    else this.#admit(conn, peer);
  }

  #admit(conn: Deno.Conn, peer: string): void {
    const bounds = { all: this.#ceiling, perAddress: this.#context.limits.maxPerAddress };
    if (!this.#accepting || !this.#connections.makePlace(peer, bounds)) {
      conn.close();
      return;
    }
    try {
      // Small parts of a stream must not wait for the acknowledgement of the one before.
      if ("setNoDelay" in conn) (conn as Deno.TcpConn).setNoDelay(true);
    } catch {
      conn.close(); // the peer has reset it already
      return;
    }
    const connection = new Connection(conn, peer, this.#context);
    this.#connections.add(connection);
    connection.run().then(() => {
      this.#connections.delete(connection);
      this.#endIfDrained();
    });
  }

  /**
   * Where descriptors are many, nobody has counted them, and the first refusal tells: from then on
   * there are fewer connections, and the rest of the process has descriptors to work with.
   */
  #makeRoom(): void {
    const { size } = this.#connections;
    const spare = Math.max(SPARE_DESCRIPTORS, Math.floor(size * SPARE_SHARE));
    this.#ceiling = Math.max(1, size - spare);
    while (this.#connections.size > this.#ceiling) {
      if (!this.#connections.closeLongestWaiting()) break;
    }
  }

  #sweep(): void {
    const { clock, limits } = this.#context;
    if (this.#connections.size < this.#ceiling / 2) this.#ceiling = limits.maxConnections;
    clock.nowMs = performance.now();
    clock.dateLine = dateLine(Date.now());
    for (const connection of this.#connections) connection.sweep();
    this.#endIfDrained();
  }

  #stopAccepting(): void {
    if (!this.#accepting) return;
    this.#accepting = false;
    this.#socket.close(); // also removes the path of a unix socket
  }

  #endIfDrained(): void {
    if (!this.#context.draining) return;
    const open = [...this.#connections].filter(({ isFinished }) => !isFinished);
    if (!open.some(({ isDownloading }) => isDownloading)) this.#downloaded.resolve();
    if (open.length === 0) this.close();
  }
}

/** Whether the connection to be accepted was closed or reset by its own peer before that. */
function wasLeft(error: unknown): boolean {
  const { ConnectionAborted, ConnectionReset, NotConnected } = Deno.errors;
  return [ConnectionAborted, ConnectionReset, NotConnected].some((kind) => error instanceof kind);
}

/**
 * Binds under a mask, so that there is no moment in which others can connect. The mask is the whole
 * process's: what another thread makes in that moment must keep its owner's bits, so only others' go.
 */
function listenPrivately(path: string): Deno.Listener {
  const mask = Deno.umask(0o077);
  try {
    const socket = Deno.listen({ transport: "unix", path });
    Deno.chmodSync(path, 0o600);
    return socket;
  } finally {
    Deno.umask(mask);
  }
}

/** A sink that fails must not take the connections with it. */
function guarded(onError: (error: unknown) => void): (error: unknown) => void {
  return (error) => {
    try {
      onError(error);
    } catch (failure) {
      printError(failure);
    }
  };
}

function printError(error: unknown): void {
  const text = error instanceof Error ? error.stack ?? error.message : String(error);
  Deno.stderr.writeSync(new TextEncoder().encode(`${text}\n`));
}

function plainRefusal({ status, message }: RefusedHead): Response {
  const error = {
    message,
    type: "invalid_request_error",
    param: null,
    code: "malformed_request",
  };
  return Response.json({ error }, { status });
}
