/**
 * The heads that came last, with what was read in them: a client's requests mostly differ in their
 * length alone, or in that and their key, and to compare a head's bytes takes a tenth of what it takes to
 * read them.
 *
 * @module
 */

import { isBlank, parseHead, type RefusedHead, type RequestHead } from "./request_head.ts";

/** As many clients as ask in turn have their heads known, where no two have the same place. */
const PLACES = 64;
/** As many lengths have a head of theirs known: clients that differ in their keys send the same one. */
const SHAPES = 64;
/** Longer heads are read anew: cookies make them so, and they are not for calls of models. */
const MOST_BYTES = 2048;
/** Of a head, from which its place is worked out. */
const SAMPLES = 16;

const CR = 13;
const LF = 10;
const COLON = 58;
const SPACE = 32;
const TAB = 9;
const TILDE = 126;
const LENGTH_NAME = "content-length";
const KEY_NAME = "authorization";
const DIGITS = /^\d+$/;
/** Keeps a byte order mark, which is no digit. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** A part of a head in which another may differ. */
interface Part {
  /** Of the header that it is in. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** Of a head that has none. */
const NO_PART: Part = { index: -1, start: 0, end: 0 };

interface KnownHead {
  readonly bytes: Uint8Array;
  readonly head: RequestHead;
  /** The digits of its length. */
  readonly digits: Part;
  /** What its first `Authorization` has, without blanks around it. */
  readonly key: Part;
}

/** Reads heads, those anew that are not known, nor like one that is. */
export class RecentHeads {
  readonly #known: (KnownHead | undefined)[] = Array(PLACES).fill(undefined);
  /** By their lengths. */
  readonly #shapes: (KnownHead | undefined)[] = Array(SHAPES).fill(undefined);

  /**
   * As {@linkcode parseHead}.
   *
   * @param bytes One complete head.
   */
  parse(bytes: Uint8Array): RequestHead | RefusedHead {
    if (bytes.length > MOST_BYTES) return parseHead(bytes);
    const place = placeOf(bytes);
    const known = this.#known[place];
    const found = known && sameBut(known, NO_PART, bytes);
    if (found !== undefined) return found;
    const shape = this.#shapes[bytes.length % SHAPES];
    const like = shape && sameBut(shape, shape.key, bytes);
    if (like !== undefined) {
      const { digits, key } = shape!;
      this.#known[place] = { bytes: bytes.slice(), head: like, digits, key };
      return like;
    }
    const head = parseHead(bytes);
    if (!("status" in head)) {
      const read = { bytes: bytes.slice(), head, ...partsIn(bytes) };
      this.#known[place] = read;
      this.#shapes[bytes.length % SHAPES] = read;
    }
    return head;
  }
}

function placeOf(bytes: Uint8Array): number {
  const { length } = bytes;
  let sum = length;
  for (let sample = 1; sample <= SAMPLES; sample++) {
    sum = Math.imul(sum, 31) + bytes[Math.floor(length * sample / (SAMPLES + 1))]! | 0;
  }
  return (sum >>> 8) % PLACES;
}

/**
 * The known head with the length of this one, and with what this one has in another part, where all the
 * rest is the same.
 */
function sameBut(known: KnownHead, other: Part, bytes: Uint8Array): RequestHead | undefined {
  const { bytes: others, head, digits } = known;
  if (others.length !== bytes.length) return undefined;
  const [first, second] = digits.start < other.start ? [digits, other] : [other, digits];
  // Keys are in heads: how far one is right must not be told by how long this takes.
  const difference = differenceIn(bytes, others, 0, first.start) |
    differenceIn(bytes, others, first.end, second.start) |
    differenceIn(bytes, others, second.end, bytes.length);
  if (difference !== 0) return undefined;
  const isSameLength = differenceIn(bytes, others, digits.start, digits.end) === 0;
  if (isSameLength && other === NO_PART) return head;
  const length = decoder.decode(bytes.subarray(digits.start, digits.end));
  if (!isSameLength && !DIGITS.test(length)) return undefined;
  if (other !== NO_PART && !isValue(bytes, other)) return undefined;
  const headers = head.headers.slice();
  if (!isSameLength) headers[digits.index] = [headers[digits.index]![0], length];
  if (other !== NO_PART) {
    const value = decoder.decode(bytes.subarray(other.start, other.end));
    headers[other.index] = [headers[other.index]![0], value];
  }
  return { ...head, headers, contentLength: isSameLength ? head.contentLength : Number(length) };
}

/** Whether a part is what a header may have, in ASCII: blanks are inside of it alone. */
function isValue(bytes: Uint8Array, { start, end }: Part): boolean {
  if (isBlank(bytes[start]!) || isBlank(bytes[end - 1]!)) return false;
  for (let index = start; index < end; index++) {
    const byte = bytes[index]!;
    if ((byte < SPACE && byte !== TAB) || byte > TILDE) return false;
  }
  return true;
}

/** 0 where all bytes in a part of both are the same. */
function differenceIn(some: Uint8Array, others: Uint8Array, start: number, end: number): number {
  let difference = 0;
  for (let index = start; index < end; index++) difference |= some[index]! ^ others[index]!;
  return difference;
}

/** A head that was read has at most one length, and nothing but digits in it. */
function partsIn(bytes: Uint8Array): Pick<KnownHead, "digits" | "key"> {
  let [digits, key] = [NO_PART, NO_PART];
  let index = 0;
  for (let line = bytes.indexOf(LF) + 1; line > 0; line = bytes.indexOf(LF, line) + 1) {
    if (digits === NO_PART && isNamed(bytes, line, LENGTH_NAME)) {
      digits = { index, ...valueAt(bytes, line + LENGTH_NAME.length + 1) };
    } else if (key === NO_PART && isNamed(bytes, line, KEY_NAME)) {
      const value = { index, ...valueAt(bytes, line + KEY_NAME.length + 1) };
      if (value.start < value.end) key = value;
    }
    index++;
  }
  return { digits, key };
}

/** Whether the header of a line has a name, however it is written. */
function isNamed(bytes: Uint8Array, line: number, name: string): boolean {
  const end = line + name.length;
  return bytes[end] === COLON && decoder.decode(bytes.subarray(line, end)).toLowerCase() === name;
}

/** What follows a colon, without blanks around it. */
function valueAt(bytes: Uint8Array, from: number): Pick<Part, "start" | "end"> {
  let start = from;
  while (isBlank(bytes[start]!)) start++;
  let end = bytes.indexOf(CR, start);
  while (end > start && isBlank(bytes[end - 1]!)) end--;
  return { start, end };
}
