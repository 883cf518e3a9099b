/**
 * What a fake upstream answers, step by step, and how the steps become bytes.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import type net from "node:net";

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
  /** Told before the bytes of each step are written. */
  readonly onWrite?: () => void;
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

/** Performs a reply on a socket; `gone` resolves when the other side has closed it. */
export async function writeReply(
  socket: net.Socket,
  reply: Reply,
  gone: Promise<void>,
): Promise<void> {
  const framing = reply.framing ?? "chunked";
  const frame = framing === "chunked" ? chunked : undefined;
  const { onWrite } = reply;
  for (const step of reply.before ?? []) {
    await doStep(socket, step, { gone, frame: undefined, onWrite });
  }
  if (framing !== "raw") await write(socket, head(reply, framing));
  for (const step of reply.steps) {
    if (socket.destroyed) return;
    await doStep(socket, step, { gone, frame, onWrite });
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
  context: {
    gone: Promise<void>;
    frame: ((bytes: Buffer) => Buffer) | undefined;
    onWrite: (() => void) | undefined;
  },
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
    context.onWrite?.();
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
