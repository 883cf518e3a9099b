/**
 * Reads the `Range` header of a download (RFC 9110 section 14).
 *
 * @module
 */

/** What a `Range` header asks of a file. */
export type ByteRange =
  | { readonly kind: "whole" }
  /** The part to send, never empty. */
  | { readonly kind: "part"; readonly start: number; readonly length: number }
  | { readonly kind: "unsatisfiable" };

const UNIT = /^bytes[ \t]*=/i;
const SPEC = /^(\d*)-(\d*)$/;
const WHOLE = { kind: "whole" } as const;
const UNSATISFIABLE = { kind: "unsatisfiable" } as const;

/**
 * The part of a file of `bytes` bytes that a `Range` header asks for.
 *
 * A header that is malformed or of another unit is as good as none. So is one with several ranges,
 * which a server may ignore (section 14.2): no player and no resuming client sends them, and the
 * many-part answer has been a way to make servers send a file many times over.
 */
export function parseByteRange(header: string, bytes: number): ByteRange {
  const unit = UNIT.exec(header)?.[0];
  if (unit === undefined) return WHOLE;
  // The grammar of lists allows empty elements.
  const specs = header.slice(unit.length).split(",").map((spec) => spec.trim())
    .filter((spec) => spec !== "");
  if (specs.length !== 1) return WHOLE;
  const [, first, last] = SPEC.exec(specs[0]!) ?? [];
  if (first === undefined || last === undefined) return WHOLE;
  if (first === "") return last === "" ? WHOLE : lastBytes(Number(last), bytes);
  const start = Number(first);
  const end = last === "" ? Number.POSITIVE_INFINITY : Number(last);
  if (end < start) return WHOLE; // invalid, not unsatisfiable: section 14.1.2
  if (start >= bytes) return UNSATISFIABLE;
  return { kind: "part", start, length: Math.min(end, bytes - 1) - start + 1 };
}

function lastBytes(count: number, bytes: number): ByteRange {
  if (count === 0) return UNSATISFIABLE;
  // The end of an empty file is satisfiable, but no Content-Range can say which bytes it is.
  if (bytes === 0) return WHOLE;
  const length = Math.min(count, bytes);
  return { kind: "part", start: bytes - length, length };
}
