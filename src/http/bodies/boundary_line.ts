/**
 * Finds the lines that part a form: `multipart/form-data` (RFC 7578 over RFC 2046).
 *
 * @module
 */

const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
/** A line break and the two dashes that every such line begins with. */
const LEAD = 4;

/** A boundary's line with the line break before it and, unless it is the last, the one behind it. */
export interface BoundaryLine {
  readonly start: number;
  /** Absent where the bytes end before it is known whether this is such a line. */
  readonly end?: number;
  readonly isLast: boolean;
}

/**
 * The first line of a boundary, or what may be the beginning of one where the bytes end.
 *
 * @param from Where the line break before it is looked for; -2 is that before the first byte.
 */
export function findBoundary(
  bytes: Uint8Array,
  boundary: Uint8Array,
  { from, end }: { readonly from: number; readonly end: number },
): BoundaryLine | undefined {
  // Looks at every fourth byte where it can.
  for (let at = from + LEAD - 1; at < end;) {
    const byte = bytes[at]!;
    if (byte !== DASH) {
      at += byte === LF ? 2 : byte === CR ? 3 : LEAD;
      continue;
    }
    const start = at - LEAD + 1;
    const isLead = bytes[at - 1] === DASH &&
      (start === -2 || (bytes[at - 2] === LF && bytes[at - 3] === CR));
    const line = isLead ? readLine(bytes, boundary, { start, end }) : undefined;
    if (line !== undefined) return line;
    at++;
  }
  const start = leadAtEnd(bytes, end);
  return start === undefined || start < from ? undefined : { start, isLast: false };
}

function readLine(
  bytes: Uint8Array,
  boundary: Uint8Array,
  { start, end }: { readonly start: number; readonly end: number },
): BoundaryLine | undefined {
  const cut = { start, isLast: false };
  let at = start + LEAD;
  for (const byte of boundary) {
    if (at === end) return cut;
    if (bytes[at++] !== byte) return undefined;
  }
  if (at === end) return cut;
  if (bytes[at] === DASH) {
    if (at + 1 === end) return cut;
    return bytes[at + 1] === DASH ? { start, end: at + 2, isLast: true } : undefined;
  }
  while (at < end && (bytes[at] === 0x20 || bytes[at] === 0x09)) at++;
  if (at === end || (bytes[at] === CR && at + 1 === end)) return cut;
  return bytes[at] === CR && bytes[at + 1] === LF
    ? { start, end: at + 2, isLast: false }
    : undefined;
}

/** Where bytes end with the first one to three of a lead. */
function leadAtEnd(bytes: Uint8Array, end: number): number | undefined {
  if (end >= 1 && bytes[end - 1] === CR) return end - 1;
  if (end >= 2 && bytes[end - 2] === CR && bytes[end - 1] === LF) return end - 2;
  const isCut = end >= 3 && bytes[end - 3] === CR && bytes[end - 2] === LF &&
    bytes[end - 1] === DASH;
  return isCut ? end - 3 : undefined;
}

/** Where the blank line of a head begins, which ends it; -1 when it is not there. */
export function endOfHead(
  bytes: Uint8Array,
  { from, end }: { readonly from: number; readonly end: number },
): number {
  let at = bytes.indexOf(CR, from);
  while (at !== -1 && at + LEAD <= end) {
    if (bytes[at + 1] === LF && bytes[at + 2] === CR && bytes[at + 3] === LF) return at;
    at = bytes.indexOf(CR, at + 1);
  }
  return -1;
}

/** Longer ones are refused. */
export const MOST_HEAD_BYTES = 8_192;
