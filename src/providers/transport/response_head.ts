/**
 * Parses the head of an HTTP/1.1 answer (RFC 9112) strictly: what two parties
 * might read differently is refused.
 *
 * @module
 */

import type { Connection } from "./connection.ts";

/** How the end of a body is found. */
export type BodyFraming =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly length: number }
  | { readonly kind: "chunked" }
  | { readonly kind: "close" };

/** The head of an answer. */
export interface ResponseHead {
  readonly status: number;
  /** By lower-case name; values of equal names are joined by ", ". */
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: BodyFraming;
  /** Whether the connection may serve another request afterwards. */
  readonly keepsAlive: boolean;
}

/** A head that breaks a rule; the connection is not to be used any further. */
export class MalformedHead extends Error {
  override readonly name = "MalformedHead";
}

const MAX_HEADERS = 200;
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?$/;
const FIELD_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const FIELD_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Parses a head without its final empty line, decoded as Latin-1.
 *
 * @throws {MalformedHead} Bad status line or field, folded lines, too many
 * fields, contradictory lengths, Content-Length beside Transfer-Encoding, an
 * unknown transfer coding.
 */
export function parseResponseHead(text: string): ResponseHead {
  const lines = text.split("\r\n");
  const statusLine = STATUS_LINE.exec(lines[0]!);
  if (statusLine === null) throw new MalformedHead("The status line is malformed");
  if (lines.length - 1 > MAX_HEADERS) {
    throw new MalformedHead(`The head has more than ${MAX_HEADERS} fields`);
  }
  const headers = new Map<string, string>();
  for (let at = 1; at < lines.length; at++) addField(headers, lines[at]!);

  const isOld = statusLine[1] === "0";
  const status = Number(statusLine[2]);
  const framing = framingOf(status, headers, isOld);
  const connection = headers.get("connection")?.toLowerCase() ?? "";
  return {
    status,
    headers,
    framing,
    keepsAlive: !isOld && framing.kind !== "close" && !/\bclose\b/.test(connection),
  };
}

function addField(headers: Map<string, string>, line: string): void {
  const colon = line.indexOf(":");
  const name = line.slice(0, Math.max(0, colon)).toLowerCase();
  // A name pattern without blanks refuses folded lines and blanks before the colon too.
  if (!FIELD_NAME.test(name)) throw new MalformedHead("A field's name is malformed");
  const value = line.slice(colon + 1).trim();
  if (!FIELD_VALUE.test(value)) throw new MalformedHead(`The value of '${name}' is malformed`);
  const before = headers.get(name);
  if (before === undefined) headers.set(name, value);
  else if (name === "content-length") {
    if (before !== value) throw new MalformedHead("The head has two different Content-Lengths");
  } else headers.set(name, `${before}, ${value}`);
}

function framingOf(
  status: number,
  headers: ReadonlyMap<string, string>,
  isOld: boolean,
): BodyFraming {
  const length = headers.get("content-length");
  const coding = headers.get("transfer-encoding");
  if (length !== undefined && coding !== undefined) {
    throw new MalformedHead("The head has both Content-Length and Transfer-Encoding");
  }
  if (coding !== undefined && (isOld || coding.toLowerCase() !== "chunked")) {
    throw new MalformedHead("The head has an unknown Transfer-Encoding");
  }
  if (length !== undefined && !/^\d{1,15}$/.test(length)) {
    throw new MalformedHead("The Content-Length is malformed");
  }
  if (status < 200 || status === 204 || status === 304) return { kind: "none" };
  if (coding !== undefined) return { kind: "chunked" };
  return length === undefined ? { kind: "close" } : { kind: "length", length: Number(length) };
}

/** A request that is on its way when the time is over would meet a closed connection. */
const MARGIN_MS = 1_000;

/**
 * Milliseconds for which a request may still be sent, by `Keep-Alive: timeout=5` as Node's and many other
 * servers send it; `Infinity` when the upstream does not say.
 */
export function keepAliveMs({ headers }: Pick<ResponseHead, "headers">): number {
  const value = headers.get("keep-alive");
  if (value === undefined) return Infinity;
  const seconds = /(?:^|[,;\s])timeout\s*=\s*"?(\d{1,9})/i.exec(value)?.[1];
  return seconds === undefined ? Infinity : Number(seconds) * 1_000 - MARGIN_MS;
}

/**
 * Whether an answer comes in pieces that mean something each: as it was asked to, or with events that
 * nobody asked for. One whose length is told is no event stream but a film, which stays bytes.
 */
export function isStream({ framing, headers }: ResponseHead, wantsStream: boolean): boolean {
  if (framing.kind === "length") return false;
  return wantsStream || /^text\/event-stream\b/i.test(headers.get("content-type") ?? "");
}

/** The place of the empty line that ends a head, or -1. */
function endOfHead(buffer: Uint8Array, from: number, end: number): number {
  let at = buffer.indexOf(13, from);
  while (at >= 0 && at + 3 < end) {
    if (buffer[at + 1] === 10 && buffer[at + 2] === 13 && buffer[at + 3] === 10) return at;
    at = buffer.indexOf(13, at + 1);
  }
  return -1;
}

const MAX_HEAD_BYTES = 64 * 1024;
const latin1 = new TextDecoder("latin1");

/**
 * The next head's text, without its final empty line.
 *
 * @param onByte Told that something of it is there, once or more.
 * @throws {MalformedHead} When it is too long, or the connection ends before it.
 */
export async function readHead(
  connection: Pick<Connection, "buffer" | "start" | "end" | "fill">,
  onByte: () => void,
): Promise<string> {
  let searched = connection.start;
  while (true) {
    if (connection.end > connection.start) onByte();
    const end = endOfHead(
      connection.buffer,
      Math.max(connection.start, searched),
      connection.end,
    );
    if (end >= 0) {
      const text = latin1.decode(connection.buffer.subarray(connection.start, end));
      connection.start = end + 4;
      return text;
    }
    const size = connection.end - connection.start;
    if (size >= MAX_HEAD_BYTES) {
      throw new MalformedHead(`The head is longer than ${MAX_HEAD_BYTES} bytes`);
    }
    const isMore = await connection.fill();
    // Filling may move what is there to the front; the last three bytes are searched again.
    searched = connection.start + Math.max(0, size - 3);
    if (!isMore) throw new MalformedHead("The connection was closed before an answer");
  }
}

/** Longer ones are searched from where the last search ended, by who reads them bit by bit. */
const MOST_SIMPLE_HEAD_BYTES = 8 * 1024;

/** Takes a head as most are; `more` while it is not there, `odd` of any other, which is left there. */
export function takeUsualHead(
  connection: Pick<Connection, "buffer" | "start" | "end">,
): ResponseHead | "more" | "odd" {
  const { buffer, start, end } = connection;
  const headEnd = endOfHead(buffer, start, end);
  if (headEnd < 0) return end - start < MOST_SIMPLE_HEAD_BYTES ? "more" : "odd";
  const head = usualHead(latin1.decode(buffer.subarray(start, headEnd)));
  if (head === undefined) return "odd";
  connection.start = headEnd + 4;
  return head;
}

/** The head of an answer as most are; `undefined` of any other, and of what is no head. */
function usualHead(text: string): ResponseHead | undefined {
  try {
    const head = parseResponseHead(text);
    const { status, headers } = head;
    return status < 200 || headers.has("content-encoding") ? undefined : head;
  } catch (error) {
    if (error instanceof MalformedHead) return undefined;
    throw error;
  }
}
