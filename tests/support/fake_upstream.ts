/**
 * A scriptable upstream on a real socket. It writes HTTP/1.1 by hand, so a test
 * decides every byte, every chunk boundary and every moment, and it notes when
 * the other side closes.
 *
 * ```ts
 * await using upstream = await startFakeUpstream([
 *   jsonReply({ error: { message: "Slow down" } }, { status: 429, headers: { "retry-after": "2" } }),
 *   sseReply([chunk, chunk, "[DONE]"]),
 * ]);
 * await fetch(`${upstream.url}/chat/completions`, …);
 * upstream.requests[0].json().model;
 * await upstream.requests[1].closed;
 * ```
 *
 * @module
 */

import net from "node:net";
import { once } from "node:events";
import { type Reply, writeReply } from "./fake_upstream_reply.ts";
import { readRequests, type RequestParts } from "./fake_upstream_requests.ts";

export * from "./fake_upstream_reply.ts";

/** A request as it came over the wire. */
export interface RecordedRequest {
  readonly method: string;
  /** Path and query, raw. */
  readonly target: string;
  /** Lower-case names; the last of equal names wins. */
  readonly headers: ReadonlyMap<string, string>;
  /** Everything before the body, for looking at exact bytes. */
  readonly head: string;
  readonly body: string;
  /** 1, 2, 3 … in order of acceptance: equal numbers shared a connection. */
  readonly connection: number;
  /** Resolves when the other side closed the connection that this came on. */
  readonly closed: Promise<void>;
  /** Whether that has happened. */
  readonly isClosed: boolean;
  json(): Record<string, unknown>;
}

/** Replies in turn (the last one repeats), or a function of the request and its number from 0. */
export type Script =
  | Reply
  | readonly Reply[]
  | ((request: RecordedRequest, index: number) => Reply | Promise<Reply>);

/** A running fake upstream. */
export interface FakeUpstream extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/v1` */
  readonly url: string;
  readonly port: number;
  /** In order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Connections accepted so far. */
  readonly connections: number;
  /** Those of them that are open. */
  readonly openConnections: number;
  /** Resolves with the request of that number (from 0) once it is wholly in. */
  received(index: number): Promise<RecordedRequest>;
  /** Replaces the script from the next request on. */
  answer(script: Script): void;
  /** Closes every connection of the upstream, in use or not. */
  dropConnections(): void;
  stop(): Promise<void>;
}

/** Starts an upstream on a free port of the loopback interface. */
export async function startFakeUpstream(script: Script): Promise<FakeUpstream> {
  let current = script;
  let firstOfCurrent = 0;
  let connections = 0;
  let isStopped = false;
  const requests: Recorded[] = [];
  const sockets = new Map<net.Socket, Promise<void>>();
  const waiting = new Map<number, (request: RecordedRequest) => void>();

  const server = net.createServer((socket) => {
    const connection = ++connections;
    socket.setNoDelay(true);
    const gone = Promise.withResolvers<void>();
    sockets.set(socket, gone.promise);
    socket.once("close", () => {
      sockets.delete(socket);
      for (const request of requests) {
        if (request.connection === connection) request.isClosed = true;
      }
      gone.resolve();
    });
    // An end of the other side's half is a close to us: no client of ours half-closes.
    socket.once("end", () => socket.destroy());
    socket.on("error", () => socket.destroy());
    void serve(socket, gone.promise, connection);
  });

  async function serve(socket: net.Socket, gone: Promise<void>, connection: number): Promise<void> {
    for await (const parts of readRequests(socket)) {
      const request = new Recorded(parts, connection, gone);
      const index = requests.push(request) - 1;
      waiting.get(index)?.(request);
      const reply = await pick(current, request, index - firstOfCurrent);
      await writeReply(socket, reply, gone);
      if (reply.closes === true || reply.framing === "close") socket.end();
      if (socket.destroyed) return;
    }
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = (server.address() as net.AddressInfo).port;

  function dropConnections(): void {
    for (const socket of sockets.keys()) socket.destroy();
  }

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    server.close();
    const gone = [...sockets.values()];
    dropConnections();
    // Not the server's own "close", which older runtimes leave out after a half-closed connection.
    await Promise.all(gone);
  }

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    get connections() {
      return connections;
    },
    get openConnections() {
      return sockets.size;
    },
    received(index) {
      const request = requests[index];
      if (request !== undefined) return Promise.resolve(request);
      const { promise, resolve } = Promise.withResolvers<RecordedRequest>();
      waiting.set(index, resolve);
      return promise;
    },
    answer(next) {
      current = next;
      firstOfCurrent = requests.length;
    },
    dropConnections,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

class Recorded implements RecordedRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly head: string;
  readonly body: string;
  readonly connection: number;
  readonly closed: Promise<void>;
  isClosed = false;

  constructor(parts: RequestParts, connection: number, closed: Promise<void>) {
    const [requestLine, ...lines] = parts.head.split("\r\n");
    const [method, target] = requestLine!.split(" ");
    this.method = method!;
    this.target = target!;
    this.headers = new Map(lines.map((line) => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }));
    this.head = parts.head;
    this.body = parts.body;
    this.connection = connection;
    this.closed = closed;
  }

  json(): Record<string, unknown> {
    return JSON.parse(this.body);
  }
}

async function pick(script: Script, request: RecordedRequest, index: number): Promise<Reply> {
  if (typeof script === "function") return await script(request, index);
  if (!isList(script)) return script;
  return script[Math.min(index, script.length - 1)]!;
}

function isList(script: Reply | readonly Reply[]): script is readonly Reply[] {
  return Array.isArray(script);
}
