/**
 * Reads `multipart/form-data` (RFC 7578 over RFC 2046), part by part: whoever has
 * had enough stops it.
 *
 * Own code rather than the runtime's `formData()`, which takes a form that breaks
 * off for a shorter one and leaves out parts that it cannot read: perhaps a limit
 * that the caller relies on. It also takes half a second for the largest upload,
 * in which nobody else is served; this takes a few milliseconds.
 *
 * @module
 */

/** A part's name and its text, or its bytes when it is a file: a view on the body. */
export type FormPart = readonly [name: string, value: string | Uint8Array<ArrayBuffer>];

/** Says what is wrong with the form, for its caller. */
export class MalformedFormError extends Error {
  override readonly name = "MalformedFormError";
}

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
/** A line break and the two dashes that every delimiter begins with. */
const LEAD = 4;
const MOST_HEAD_BYTES = 8_192;
/** One parameter of a header: a token, or a text in quotes with backslashes. */
const PARAMETER = /;[ \t]*([\w*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^;\s"]*))[ \t]*/gy;

/**
 * The parts of a body, in its order.
 *
 * @param boundary As the content type names it, without quotes.
 * @throws {MalformedFormError} Where the reading has come to what is wrong.
 */
export function* parseMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  boundary: string,
): Generator<FormPart> {
  const delimiter = new TextEncoder().encode(boundary);
  let line = findDelimiter(bytes, delimiter, -2);
  while (line !== undefined && !line.isLast) {
    const { head, start } = readHead(bytes, line.end);
    // The line break before a part may belong to the delimiter behind it.
    const next = findDelimiter(bytes, delimiter, start - 2);
    if (next === undefined) break;
    yield readPart(head, bytes.subarray(start, Math.max(start, next.start)));
    line = next;
  }
  if (line?.isLast !== true) {
    throw new MalformedFormError("it breaks off before its last boundary");
  }
}

/** A delimiter with the line break before it and, unless it is the last, the one behind it. */
interface DelimiterLine {
  readonly start: number;
  readonly end: number;
  readonly isLast: boolean;
}

/** @param from Where the line break before it is looked for; -2 is that before the body. */
function findDelimiter(
  bytes: Uint8Array,
  boundary: Uint8Array,
  from: number,
): DelimiterLine | undefined {
  // Looks at every fourth byte where it can.
  for (let at = from + LEAD - 1; at < bytes.length;) {
    const byte = bytes[at]!;
    if (byte !== DASH) {
      at += byte === LF ? 2 : byte === CR ? 3 : LEAD;
      continue;
    }
    const start = at - LEAD + 1;
    const isLead = bytes[at - 1] === DASH &&
      (start === -2 || (bytes[at - 2] === LF && bytes[at - 3] === CR));
    const line = isLead ? readDelimiter(bytes, boundary, start) : undefined;
    if (line !== undefined) return line;
    at++;
  }
  return undefined;
}

function readDelimiter(
  bytes: Uint8Array,
  boundary: Uint8Array,
  start: number,
): DelimiterLine | undefined {
  let at = start + LEAD;
  for (const byte of boundary) if (bytes[at++] !== byte) return undefined;
  if (bytes[at] === DASH && bytes[at + 1] === DASH) return { start, end: at + 2, isLast: true };
  while (bytes[at] === 0x20 || bytes[at] === 0x09) at++;
  return bytes[at] === CR && bytes[at + 1] === LF
    ? { start, end: at + 2, isLast: false }
    : undefined;
}

function readHead(
  bytes: Uint8Array,
  start: number,
): { readonly head: string; readonly start: number } {
  const last = Math.min(start + MOST_HEAD_BYTES, bytes.length);
  let end = bytes.indexOf(CR, start);
  while (end !== -1 && end < last && !isBlankLine(bytes, end)) end = bytes.indexOf(CR, end + 1);
  if (end === -1 || end >= last) {
    throw new MalformedFormError("a part of it has no head, or one without end");
  }
  return { head: new TextDecoder().decode(bytes.subarray(start, end)), start: end + 4 };
}

function isBlankLine(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF;
}

function readPart(head: string, content: Uint8Array<ArrayBuffer>): FormPart {
  const line = head.split("\r\n").find((field) => /^content-disposition[ \t]*:/i.test(field)) ?? "";
  const [, parameters = ""] = /^[^:]*:[ \t]*form-data[ \t]*(;.*)$/is.exec(line) ?? [];
  let name: string | undefined;
  let isFile = false;
  for (const [, parameter, quoted, token] of parameters.matchAll(PARAMETER)) {
    const value = quoted?.replace(/\\(.)/g, "$1") ?? token!;
    if (/^name$/i.test(parameter!)) name ??= value;
    if (/^filename\*?$/i.test(parameter!)) isFile = true;
  }
  if (name === undefined) throw new MalformedFormError("a part of it has no name");
  return [name, isFile ? content : new TextDecoder().decode(content)];
}
