/**
 * The bytes of a response's head, and of the chunks of a body whose length is not known.
 *
 * @module
 */

import { LeanResponse } from "./lean_response.ts";

const encoder = new TextEncoder();
/** Found in a text that takes more bytes in UTF-8 than it has characters. */
export const NON_ASCII = /[\x80-\uffff]/;
const DIGITS = /^\d{1,15}$/;

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  201: "Created",
  202: "Accepted",
  204: "No Content",
  206: "Partial Content",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  412: "Precondition Failed",
  413: "Content Too Large",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  422: "Unprocessable Content",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
};

/**
 * Said of every answer, whoever makes it: a body is what its type says, so that no browser takes
 * what a caller or an upstream wrote for a page.
 */
const EVERY_ANSWER = "x-content-type-options: nosniff\r\n";

/** The start of a response's head, and what its headers say about the body and the connection. */
export interface HeadStart {
  /** Status line and headers, each ended by CR LF; without the framing headers and blank line. */
  readonly text: string;
  /** What the handler set as Content-Length, in bytes. */
  readonly declaredLength: number | undefined;
  /** The handler asked for the connection to be closed after this answer. */
  readonly close: boolean;
  /** The media type says that the parts are to be sent as they come. */
  readonly eventStream: boolean;
}

/** The `Date` header line (RFC 9110 section 6.6.1) for a time in epoch milliseconds. */
export function dateLine(epochMs: number): string {
  return `date: ${new Date(epochMs).toUTCString()}\r\n`;
}

/** Writes the status line and the handler's headers; framing headers are the listener's alone. */
export function startHead(response: Response, date: string): HeadStart {
  const { status } = response;
  const lean = LeanResponse.of(response);
  if (lean !== undefined) {
    const reason = REASONS[status] ?? "";
    const text = `HTTP/1.1 ${status} ${reason}\r\n${EVERY_ANSWER}${lean.headerLines}${date}`;
    // A stream keeps it for as long as it is open: as one text, which looking through it makes of the
    // fifty that it was put together from.
    if (typeof lean.content !== "string") NON_ASCII.test(text);
    return { text, declaredLength: undefined, close: false, eventStream: false };
  }
  let text = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\n${EVERY_ANSWER}`;
  let declaredLength: number | undefined;
  let close = false;
  let eventStream = false;
  let dated = false;
  // Iterating with for-of costs five times as much.
  response.headers.forEach((value, name) => {
    switch (name) {
      case "content-length":
        if (DIGITS.test(value)) declaredLength = Number(value);
        return;
      case "connection":
        close = value.toLowerCase() === "close";
        return;
      case "keep-alive":
      case "transfer-encoding":
      case "x-content-type-options":
        return;
      case "date":
        dated = true;
        break;
      case "content-type":
        eventStream = value.startsWith("text/event-stream");
        break;
    }
    text += `${name}: ${value}\r\n`;
  });
  if (!dated) text += date;
  return { text, declaredLength, close, eventStream };
}

/** `head` as bytes with `body` behind it, and `tail` behind that: one write instead of several. */
export function encodeWithBody(
  head: string,
  body: Uint8Array | undefined,
  tail = "",
): Uint8Array {
  const bodyEnd = head.length + (body?.length ?? 0);
  const bytes = new Uint8Array(bodyEnd + tail.length);
  putText(bytes, head);
  if (body !== undefined) bytes.set(body, head.length);
  if (tail !== "") putText(bytes.subarray(bodyEnd), tail);
  return bytes;
}

/** Where parts are framed before they are copied out; used by one part at a time. */
const desk = new Uint8Array(64 * 1024);
/** Room for the line with a part's size, and for what ends a part and the body. */
const SIZE_LINE_BYTES = 10;
const END_BYTES = 16;
const MOST_BYTES_OF_CHARACTER = 3;

/**
 * Frames a text as one part of a chunked body (RFC 9112 section 7.1), with `head` before it.
 *
 * @param isLast Whether the end of the body follows it.
 */
export function encodeTextChunk(text: string, head: string, isLast: boolean): Uint8Array {
  const start = head.length + SIZE_LINE_BYTES;
  if (start + text.length * MOST_BYTES_OF_CHARACTER + END_BYTES > desk.length) {
    const chunk = encodeChunk(encoder.encode(text), head);
    return isLast ? encodeWithBody("", chunk, LAST_CHUNK) : chunk;
  }
  // Behind the room for its size, which is known only then; so the text is gone through once.
  const { written } = encoder.encodeInto(text, desk.subarray(start));
  const size = `${written.toString(16)}\r\n`;
  const begin = start - size.length - head.length;
  putText(desk.subarray(begin, start), head);
  putText(desk.subarray(start - size.length, start), size);
  const textEnd = start + written;
  const tail = isLast ? CHUNK_AND_BODY_END : CHUNK_END;
  desk.set(tail, textEnd);
  return desk.slice(begin, textEnd + tail.length);
}

/** Frames one part of a chunked body (RFC 9112 section 7.1), with `head` before it. */
export function encodeChunk(part: Uint8Array, head: string): Uint8Array {
  const open = `${head}${part.length.toString(16)}\r\n`;
  const partEnd = open.length + part.length;
  const bytes = new Uint8Array(partEnd + 2);
  putText(bytes, open);
  bytes.set(part, open.length);
  bytes[partEnd] = 13;
  bytes[partEnd + 1] = 10;
  return bytes;
}

/** What ends a chunked body. */
export const LAST_CHUNK = "0\r\n\r\n";
const CHUNK_END = encoder.encode("\r\n");
const CHUNK_AND_BODY_END = encoder.encode(`\r\n${LAST_CHUNK}`);

/** Writes `text` at the start of `bytes`, one byte per character. */
export function putText(bytes: Uint8Array, text: string): void {
  if (!NON_ASCII.test(text)) {
    encoder.encodeInto(text, bytes);
    return;
  }
  // A header value is a string of bytes (RFC 9110 section 5.5): one byte per character.
  for (let index = 0; index < text.length; index++) bytes[index] = text.charCodeAt(index);
}

/** The whole answer to what is no proper request, after which the connection ends. */
export async function refusalBytes(
  response: Response,
  date: string,
  isHead: boolean,
): Promise<Uint8Array> {
  const body = encoder.encode(await response.text());
  const { text: fields } = startHead(response, date);
  const head = `${fields}connection: close\r\ncontent-length: ${body.length}\r\n\r\n`;
  // Whatever else is wrong with it, a HEAD is answered without a body: RFC 9110 section 9.3.2.
  return encodeWithBody(head, isHead ? new Uint8Array() : body);
}
