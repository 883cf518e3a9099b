/**
 * Finds and parses the head of an HTTP/1.1 request (RFC 9112), strictly: whatever two parsers
 * could read in two ways is refused, because a proxy in front may have read it the other way.
 *
 * @module
 */

/** Largest request head (request line and headers) that is read, in bytes. */
export const MAX_HEAD_BYTES = 64 * 1024;

/** Most headers in one request: platform `Headers` take quadratic time to build. */
export const MAX_HEADERS = 128;

/** A request head that is none: it gets an answer, and its connection ends. */
export interface RefusedHead {
  readonly status: 400 | 431 | 505;
  readonly message: string;
}

/** A parsed request head. */
export interface RequestHead {
  readonly method: string;
  /** Path and query, exactly as sent: dots and percent-encodings are not resolved. */
  readonly path: string;
  /** The `Host` (or the authority of an absolute request target). */
  readonly host: string;
  readonly headers: readonly [name: string, value: string][];
  /** Bytes of body that follow; 0 when there is none, `undefined` when it is chunked. */
  readonly contentLength: number | undefined;
  /** The client waits for `100 Continue` before it sends its body. */
  readonly expectsContinue: boolean;
  /** HTTP/1.1 without `Connection: close`: the connection may serve another request. */
  readonly persistent: boolean;
  /** HTTP/1.0 knows no chunked answers: those end with the connection. */
  readonly http10: boolean;
}

/** What {@linkcode findHeadEnd} answers while the blank line has not come. */
export const INCOMPLETE = -1;
/** What {@linkcode findHeadEnd} answers to a line feed without a carriage return. */
export const BARE_LINE_FEED = -2;

const LF = 10;
const CR = 13;
/** Keeps a byte order mark, which is no part of a head: other readers of the same bytes see it. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
const ODD_BYTE = /[^\t\r\n\x20-\x7e]/;
// deno-lint-ignore no-control-regex -- refusing these is what it is for
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TARGET = /^\/[^\s#\\\x7f-\uffff]*$/;
const ABSOLUTE_TARGET = /^https?:\/\/([^/?#@\s]+)(\/[^\s#\\\x7f-\uffff]*)?$/i;
const HOST = /^[A-Za-z0-9._~!$&'()*+,;=%:[\]-]+$/;
/** The last good host: nearly all requests to a server name the same one. */
let lastHost: string | undefined;
const LENGTH = /^\d{1,15}$/;
const CLOSE_TOKEN = /(?:^|,)\s*close\s*(?:,|$)/i;

/** The index just past the blank line that ends the head in `bytes[start, end)`, or a negative. */
export function findHeadEnd(
  bytes: Uint8Array,
  { start, end, from }: { start: number; end: number; from: number },
): number {
  let index = bytes.indexOf(LF, from);
  while (index !== -1 && index < end) {
    if (index === start || bytes[index - 1] !== CR) return BARE_LINE_FEED;
    if (index - 3 >= start && bytes[index - 2] === LF) return index + 1;
    index = bytes.indexOf(LF, index + 1);
  }
  return INCOMPLETE;
}

/** Parses one complete head (its blank line included). */
export function parseHead(bytes: Uint8Array): RequestHead | RefusedHead {
  let text = decoder.decode(bytes);
  if (ODD_BYTE.test(text)) {
    // Header values may hold bytes above 127 (RFC 9110 section 5.5): one character per byte,
    // as `Headers` has them.
    text = String.fromCharCode(...bytes);
    if (CONTROL.test(text)) return refuse("The request head has a control character");
  }

  const lineEnd = text.indexOf("\r");
  const first = text.slice(0, lineEnd);
  const methodEnd = first.indexOf(" ");
  const targetEnd = first.lastIndexOf(" ");
  if (methodEnd <= 0 || targetEnd === methodEnd || text.charCodeAt(lineEnd + 1) !== LF) {
    return refuse("The request line is malformed");
  }
  const version = first.slice(targetEnd + 1);
  const http10 = version === "HTTP/1.0";
  if (!http10 && version !== "HTTP/1.1") {
    // The preface of HTTP/2 ("PRI * HTTP/2.0") ends here too.
    return { status: 505, message: "Only HTTP/1.1 is spoken here" };
  }
  const method = first.slice(0, methodEnd);
  if (!TOKEN.test(method)) return refuse("The request method is malformed");

  const headers: [string, string][] = [];
  let host: string | undefined;
  let length: string | undefined;
  let encoding: string | undefined;
  let expectsContinue = false;
  let persistent = !http10;
  const last = text.length - 2;
  for (let start = lineEnd + 2; start < last;) {
    const end = text.indexOf("\r", start);
    if (text.charCodeAt(end + 1) !== LF) return refuse("A header has a bare carriage return");
    const colon = text.indexOf(":", start);
    if (colon === -1 || colon > end) return refuse("A header has no colon");
    const name = text.slice(start, colon);
    // Also refuses folded lines (they begin with a space) and a space before the colon.
    if (!TOKEN.test(name)) return refuse("A header name is malformed");
    const value = trim(text, colon + 1, end);
    if (headers.push([name, value]) > MAX_HEADERS) {
      return { status: 431, message: `The request has more than ${MAX_HEADERS} headers` };
    }
    start = end + 2;
    switch (name.length) {
      case 4:
        if (name.toLowerCase() === "host") {
          if (host !== undefined) return refuse("The request has more than one Host header");
          host = value;
        }
        break;
      case 6:
        if (name.toLowerCase() === "expect") {
          expectsContinue = value.toLowerCase() === "100-continue";
        }
        break;
      case 10:
        if (name.toLowerCase() === "connection" && CLOSE_TOKEN.test(value)) persistent = false;
        break;
      case 14:
        if (name.toLowerCase() === "content-length") {
          if (length !== undefined) return refuse("The request has more than one Content-Length");
          if (!LENGTH.test(value)) return refuse("The Content-Length is malformed");
          length = value;
        }
        break;
      case 17:
        if (name.toLowerCase() === "transfer-encoding") {
          if (encoding !== undefined) {
            return refuse("The request has more than one Transfer-Encoding");
          }
          encoding = value.toLowerCase();
        }
        break;
    }
  }

  if (encoding !== undefined) {
    // RFC 9112 section 6.1 lets a server choose one; another server on the path may choose the
    // other, and then the two disagree about where the next request begins.
    if (length !== undefined) {
      return refuse("The request has both Content-Length and Transfer-Encoding");
    }
    if (http10) return refuse("An HTTP/1.0 request cannot have a Transfer-Encoding");
    if (encoding !== "chunked") return refuse("The only Transfer-Encoding known here is chunked");
  }
  if (host === undefined && !http10) return refuse("The request has no Host header");
  if (host !== undefined && !isHost(host)) return refuse("The Host header is malformed");

  const target = first.slice(methodEnd + 1, targetEnd);
  let path = target;
  if (!TARGET.test(target)) {
    const absolute = ABSOLUTE_TARGET.exec(target);
    if (absolute === null || !isHost(absolute[1]!)) {
      return refuse("The request target is malformed");
    }
    host = absolute[1]!; // RFC 9112 section 3.2.2: it goes before the Host header
    path = absolute[2] ?? "/";
  }

  return {
    method,
    path,
    host: host ?? "localhost",
    headers,
    contentLength: encoding !== undefined ? undefined : length === undefined ? 0 : Number(length),
    expectsContinue: expectsContinue && !http10,
    persistent,
    http10,
  };
}

/** Whether a URL can be made with this host, so that nobody further in meets one that cannot. */
function isHost(host: string): boolean {
  if (host === lastHost) return true;
  if (!HOST.test(host) || !URL.canParse(`http://${host}/`)) return false;
  lastHost = host;
  return true;
}

function refuse(message: string): RefusedHead {
  return { status: 400, message };
}

/** `text[start, end)` without the spaces and tabs around it. */
function trim(text: string, start: number, end: number): string {
  while (start < end && isBlank(text.charCodeAt(start))) start++;
  while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Whether a character, or a byte, is a space or a tab. */
export function isBlank(code: number): boolean {
  return code === 32 || code === 9;
}
