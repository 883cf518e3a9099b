/**
 * The head of an upstream's answer (RFC 9112 sections 4 and 6), read strictly:
 * what two parsers could read in two ways is no answer.
 *
 * @module
 */

import { UpstreamError } from "../../provider.ts";

/** How the end of a body is known. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" }
  /** The body ends with the connection. */
  | { readonly kind: "close" };

/** A parsed head. */
export interface AnswerHead {
  readonly status: number;
  /** Lower-case names; equal names are joined by a comma. */
  readonly headers: ReadonlyMap<string, string>;
  readonly framing: Framing;
  /** Whether the connection may serve another exchange afterwards. */
  readonly persistent: boolean;
}

/** A larger head is refused. */
export const MAX_HEAD_BYTES = 64 * 1024;

const STATUS_LINE = /^HTTP\/1\.([01]) ([1-9]\d\d)(?: .*)?$/;
const FIELD = /^([!#$%&'*+.^_`|~0-9a-z-]+):[ \t]*(.*?)[ \t]*$/i;
const DIGITS = /^\d{1,15}$/;
const latin1 = new TextDecoder("latin1");

/** Where the head in `bytes[start, end)` ends, just behind its blank line; -1 if it is not whole. */
export function findHeadEnd(bytes: Uint8Array, start: number, end: number): number {
  for (let at = bytes.indexOf(13, start); at >= 0 && at + 3 < end; at = bytes.indexOf(13, at + 1)) {
    if (bytes[at + 1] === 10 && bytes[at + 2] === 13 && bytes[at + 3] === 10) return at + 4;
  }
  return -1;
}

/**
 * Parses a whole head, its blank line included.
 *
 * @throws {UpstreamError} `broken`
 */
export function parseAnswerHead(bytes: Uint8Array): AnswerHead {
  const lines = latin1.decode(bytes).split("\r\n");
  const match = STATUS_LINE.exec(lines[0]!);
  if (match === null) throw broken("its status line is malformed");
  const status = Number(match[2]);
  const headers = new Map<string, string>();
  for (let index = 1; index < lines.length - 2; index++) {
    const field = FIELD.exec(lines[index]!);
    if (field === null) throw broken("a header line is malformed");
    const name = field[1]!.toLowerCase();
    const known = headers.get(name);
    headers.set(name, known === undefined ? field[2]! : `${known}, ${field[2]}`);
  }
  const framing = framingOf(status, headers);
  const connection = headers.get("connection")?.toLowerCase();
  const persistent = framing.kind !== "close" && connection !== "close" &&
    (match[1] === "1" || connection === "keep-alive");
  return { status, headers, framing, persistent };
}

function framingOf(status: number, headers: ReadonlyMap<string, string>): Framing {
  const encoding = headers.get("transfer-encoding")?.toLowerCase();
  const length = headers.get("content-length");
  if (status < 200 || status === 204 || status === 304) return { kind: "none" };
  if (encoding !== undefined) {
    if (length !== undefined) throw broken("it has both a length and a transfer encoding");
    if (encoding !== "chunked") throw broken("its transfer encoding is not known");
    return { kind: "chunked" };
  }
  if (length === undefined) return { kind: "close" };
  // The same length sent twice is harmless (RFC 9112 section 6.3).
  const [first, ...others] = length.split(/\s*,\s*/);
  if (!DIGITS.test(first!) || others.some((other) => other !== first)) {
    throw broken("its content length is malformed");
  }
  return { kind: "length", bytes: Number(first) };
}

/** The answer breaks HTTP. */
export function broken(why: string): UpstreamError {
  return new UpstreamError("broken", `Cannot read the upstream's answer as ${why}`);
}
