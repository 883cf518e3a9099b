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

import { type BoundaryLine, endOfHead, findBoundary, MOST_HEAD_BYTES } from "./boundary_line.ts";
import { MalformedFormError, readPartHead } from "./part_head.ts";

/** A part's name and its text, or its bytes when it is a file: a view on the body. */
export type FormPart = readonly [name: string, value: string | Uint8Array<ArrayBuffer>];

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
  let line = wholeLine(bytes, delimiter, -2);
  while (line !== undefined && !line.isLast) {
    const { head, start } = readHead(bytes, line.end);
    // The line break before a part may belong to the boundary behind it.
    const next = wholeLine(bytes, delimiter, start - 2);
    if (next === undefined) break;
    const content = bytes.subarray(start, Math.max(start, next.start));
    const { name, file } = readPartHead(head);
    yield [name, file === undefined ? new TextDecoder().decode(content) : content];
    line = next;
  }
  if (line?.isLast !== true) {
    throw new MalformedFormError("it breaks off before its last boundary");
  }
}

function wholeLine(
  bytes: Uint8Array,
  boundary: Uint8Array,
  from: number,
): Required<BoundaryLine> | undefined {
  const line = findBoundary(bytes, boundary, { from, end: bytes.length });
  return line?.end === undefined ? undefined : line as Required<BoundaryLine>;
}

function readHead(
  bytes: Uint8Array,
  start: number,
): { readonly head: string; readonly start: number } {
  const last = Math.min(start + MOST_HEAD_BYTES, bytes.length);
  const end = endOfHead(bytes, { from: start, end: last });
  if (end === -1) {
    throw new MalformedFormError("a part of it has no head, or one without end");
  }
  return { head: new TextDecoder().decode(bytes.subarray(start, end)), start: end + 4 };
}
