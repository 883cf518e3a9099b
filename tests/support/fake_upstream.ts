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

import { Buffer } from "node:buffer";
import net from "node:net";
import { once } from "node:events";

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

/**
 * One thing to do with the body of a reply: write bytes as one chunk, wait for
 * a promise, pause for some milliseconds, stall until the other side closes,
 * reset the connection, or cut it (an orderly close in mid-body).
 */
export type Step =
  | string
  | Uint8Array
  | Promise<unknown>
  | { readonly pauseMs: number }
  | "stall!"
  | "reset!"
  | "cut!";

/** What to answer. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly steps: readonly Step[];
  /**
   * `chunked` (default); `length`: content-length, counted from the steps;
   * `close`: the body ends with the connection; `raw`: the steps are the whole
   * answer, status line included.
   */
  readonly framing?: "chunked" | "length" | "close" | "raw";
  /** Done before the status line is written. */
  readonly before?: readonly Step[];
  /** Closes the connection afterwards instead of keeping it open. */
  readonly closes?: boolean;
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
  /** Resolves with the request of that number (from 0) once it is wholly in. */
  received(index: number): Promise<RecordedRequest>;
  /** Replaces the script from the next request on. */
  answer(script: Script): void;
  /** Closes every connection of the upstream, in use or not. */
  dropConnections(): void;
  stop(): Promise<void>;
}

/** A JSON answer with a content-length. */
export function jsonReply(
  value: unknown,
  options: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return {
    status: options.status ?? 200,
    headers: { "content-type": "application/json", ...options.headers },
    steps: [JSON.stringify(value)],
    framing: "length",
  };
}

/** An event stream; objects become `data:` lines, strings too (`[DONE]`), other steps are done as they are. */
export function sseReply(
  events: readonly (object | string)[],
  options: { status?: number; headers?: Record<string, string>; framing?: Reply["framing"] } = {},
): Reply {
  return {
    status: options.status ?? 200,
    headers: { "content-type": "text/event-stream", ...options.headers },
    steps: events.map(sseStep),
    ...(options.framing === undefined ? {} : { framing: options.framing }),
  };
}

/** An event stream of exactly these writes. */
export function rawSseReply(steps: readonly Step[], framing?: Reply["framing"]): Reply {
  return {
    headers: { "content-type": "text/event-stream" },
    steps,
    ...(framing === undefined ? {} : { framing }),
  };
}

/** Any body with a content type. */
export function textReply(
  contentType: string,
  body: string | Uint8Array,
  options: { status?: number; headers?: Record<string, string> } = {},
): Reply {
  return {
    status: options.status ?? 200,
    headers: { "content-type": contentType, ...options.headers },
    steps: [body],
    framing: "length",
  };
}

/** Starts an upstream on a free port of the loopback interface. */
export async function startFakeUpstream(script: Script): Promise<FakeUpstream> {
  let current = script;
  let firstOfCurrent = 0;
  let connections = 0;
  let isStopped = false;
  const requests: Recorded[] = [];
  const sockets = new Set<net.Socket>();
  const waiting = new Map<number, (request: RecordedRequest) => void>();

  const server = net.createServer((socket) => {
    const connection = ++connections;
    sockets.add(socket);
    socket.setNoDelay(true);
    const gone = Promise.withResolvers<void>();
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
    for (const socket of sockets) socket.destroy();
  }

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    const closed = once(server, "close");
    server.close();
    dropConnections();
    await closed;
  }

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests,
    get connections() {
      return connections;
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

interface RequestParts {
  readonly head: string;
  readonly body: string;
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

/** Reads requests with a content-length, a chunked body or none, until the connection ends. */
async function* readRequests(socket: net.Socket): AsyncGenerator<RequestParts> {
  let buffer = Buffer.alloc(0);
  const arrived: Buffer[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  socket.on("data", (bytes: Buffer) => {
    arrived.push(bytes);
    wake?.();
  });
  socket.once("close", () => {
    isOver = true;
    wake?.();
  });

  async function more(): Promise<boolean> {
    while (arrived.length === 0) {
      if (isOver) return false;
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      await promise;
    }
    buffer = Buffer.concat([buffer, ...arrived.splice(0)]);
    return true;
  }

  while (true) {
    let end = buffer.indexOf("\r\n\r\n");
    while (end < 0) {
      if (!await more()) return;
      end = buffer.indexOf("\r\n\r\n");
    }
    const head = buffer.subarray(0, end).toString("latin1");
    buffer = buffer.subarray(end + 4);
    let body = "";
    const length = /^content-length: *(\d+)/im.exec(head);
    if (length !== null) {
      const size = Number(length[1]);
      while (buffer.length < size) if (!await more()) return;
      body = buffer.subarray(0, size).toString("utf8");
      buffer = buffer.subarray(size);
    } else if (/^transfer-encoding: *chunked/im.test(head)) {
      const parts: Buffer[] = [];
      while (true) {
        let lineEnd = buffer.indexOf("\r\n");
        while (lineEnd < 0) {
          if (!await more()) return;
          lineEnd = buffer.indexOf("\r\n");
        }
        const size = parseInt(buffer.subarray(0, lineEnd).toString("latin1"), 16);
        while (buffer.length < lineEnd + 2 + size + 2) if (!await more()) return;
        parts.push(buffer.subarray(lineEnd + 2, lineEnd + 2 + size));
        buffer = buffer.subarray(lineEnd + 2 + size + 2);
        if (size === 0) break;
      }
      body = Buffer.concat(parts).toString("utf8");
    }
    yield { head, body };
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

async function writeReply(socket: net.Socket, reply: Reply, gone: Promise<void>): Promise<void> {
  const framing = reply.framing ?? "chunked";
  const frame = framing === "chunked" ? chunked : undefined;
  for (const step of reply.before ?? []) await doStep(socket, step, { gone, frame: undefined });
  if (framing !== "raw") await write(socket, head(reply, framing));
  for (const step of reply.steps) {
    if (socket.destroyed) return;
    await doStep(socket, step, { gone, frame });
  }
  if (framing === "chunked" && !socket.destroyed) await write(socket, "0\r\n\r\n");
}

function head(reply: Reply, framing: "chunked" | "length" | "close"): string {
  const headers: Record<string, string> = { ...reply.headers };
  if (framing === "chunked") headers["transfer-encoding"] = "chunked";
  if (framing === "length") {
    const size = reply.steps.reduce((sum, step) => sum + sizeOf(step), 0);
    headers["content-length"] ??= String(size);
  }
  if (framing === "close" || reply.closes === true) headers["connection"] = "close";
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${reply.status ?? 200} Status\r\n${lines.join("")}\r\n`;
}

function sizeOf(step: Step): number {
  if (step instanceof Uint8Array) return step.length;
  if (typeof step === "string" && !isCommand(step)) return Buffer.byteLength(step);
  return 0;
}

function isCommand(step: string): step is "stall!" | "reset!" | "cut!" {
  return step === "stall!" || step === "reset!" || step === "cut!";
}

async function doStep(
  socket: net.Socket,
  step: Step,
  context: { gone: Promise<void>; frame: ((bytes: Buffer) => Buffer) | undefined },
): Promise<void> {
  if (step instanceof Promise) {
    await Promise.race([step, context.gone]);
  } else if (step === "stall!") {
    await context.gone;
  } else if (step === "reset!") {
    socket.resetAndDestroy();
    await context.gone;
  } else if (step === "cut!") {
    socket.destroy();
    await context.gone;
  } else if (typeof step === "string" || step instanceof Uint8Array) {
    const bytes = Buffer.from(step as string);
    if (bytes.length > 0) await write(socket, context.frame?.(bytes) ?? bytes);
  } else {
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([
      new Promise((resolve) => timer = setTimeout(resolve, step.pauseMs)),
      context.gone,
    ]);
    clearTimeout(timer);
  }
}

function chunked(bytes: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from(`${bytes.length.toString(16)}\r\n`),
    bytes,
    Buffer.from("\r\n"),
  ]);
}

function sseStep(event: object | string): Step {
  if (event instanceof Promise || event instanceof Uint8Array) return event;
  if (typeof event === "string") return isCommand(event) ? event : `data: ${event}\n\n`;
  if ("pauseMs" in event) return event as Step;
  return `data: ${JSON.stringify(event)}\n\n`;
}

/** Writes and waits until the bytes are handed to the system, so that each write is a read of its own. */
function write(socket: net.Socket, bytes: Buffer | string): Promise<void> {
  return new Promise((resolve) => socket.write(bytes, () => resolve()));
}
