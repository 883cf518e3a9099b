/**
 * Measures the shape of a JSON text before it is parsed: how deep it is nested, and how many
 * parts it has. A megabyte of small parts takes a hundred times as long to parse, to check and
 * to write again as a megabyte of text. The same walk finds what need not be written again: long
 * members that are spelled as they would be.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";

/** Of one object. No schema of tools and no map of token ids comes near it. */
const MOST_MEMBERS = 10_000;
/** Of all objects together: a conversation of some thousand messages has a few ten thousand. */
const MOST_MEMBERS_IN_ALL = 100_000;
/** Of one list: the longest text in tokens that an embedding is asked of. */
const MOST_ENTRIES = 100_000;
/** Of all lists together: OpenAI embeds 300,000 tokens at once. */
const MOST_ENTRIES_IN_ALL = 500_000;
/** Objects and lists together. */
const MOST_CONTAINERS = 100_000;

/** Longer names are not told. */
const MOST_NAME_BYTES = 200;

/**
 * Of a text, or of what follows an escape in it, in bytes, before its end is searched for: most end
 * within. To search a string costs a fifth of what it costs to search bytes.
 */
const LOOKED_AT_FIRST = { inAscii: 64, otherwise: 128 };

/** What is shorter is as quickly written anew as copied. */
const LEAST_LONG = 1024;

const SPACE = 0x20;
const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/** What a JSON text is made of, as far as one walk over it tells. */
export interface JsonShape {
  /** Of the outermost object: as many as are written, equal names included. */
  readonly members: number;
  /** Those of them that are long and written as `JSON.stringify` writes. */
  readonly long: readonly LongMember[];
}

/**
 * A member of the outermost object whose text has no space between its parts, and each text, number and
 * name in it as `JSON.stringify` spells and orders it. Equal names are not looked for.
 */
export interface LongMember {
  readonly name: string;
  /** Of its value: offset of the first byte, and behind the last. */
  readonly start: number;
  readonly end: number;
  /** Of all objects in its value, equal names included. */
  readonly members: number;
}

/**
 * Walks over a JSON text once, from quote to quote. What is no JSON is not found out here: its parser
 * says where.
 *
 * @param ascii The same as a text, where that is known and nothing but ASCII: that is searched faster.
 * @throws {GatewayError} `invalid_json` when it is nested deeper than is taken; `invalid_value` when
 * it has more parts, with the field where there are too many.
 */
export function checkJsonShape(bytes: Uint8Array, maxDepth: number, ascii?: string): JsonShape {
  const size = bytes.length;
  const words = wordsOf(bytes);
  const reach = ascii === undefined ? LOOKED_AT_FIRST.otherwise : LOOKED_AT_FIRST.inAscii;
  const outer: number[] = [];
  const long: LongMember[] = [];
  let depth = 0;
  /** Of the innermost container: members of an object, or -1 less the commas of a list. */
  let parts = 0;
  let members = 0;
  let commas = 0;
  let containers = 0;
  /** Of the last text in the outermost object where it begins, and the colon behind it if it is a name. */
  let nameStart = 0;
  let nameEnd = 0;
  /** Of the last text anywhere. */
  let textStart = 0;
  let outermost = 0;
  /** Of the outermost member's value, and how many members there were before it. */
  let valueStart = 0;
  let membersBefore = 0;
  /** Whether an outermost member's value is being walked over, and all of it is as it is written here. */
  let isOwnSpelling = false;
  /** The next ones at or behind the place where they were searched for last. */
  let quote = -1;
  let backslash = -1;
  for (let index = 0; index < size; index++) {
    const byte = bytes[index]!;
    if (depth === 1 && isOwnSpelling && isBehindMember(byte)) {
      if (index - valueStart >= LEAST_LONG) {
        const name = bytes.subarray(nameStart, nameEnd);
        addLong(long, name, { start: valueStart, end: index, members: members - membersBefore });
      }
      isOwnSpelling = false;
    }
    switch (byte) {
      case QUOTE: {
        if (depth === 1) nameStart = index;
        textStart = index++;
        for (let near = smaller(index + reach, size); index < size;) {
          index = specialPlace(bytes, words, index, near);
          if (index === near && near < size) {
            if (quote < index) quote = placeOf(QUOTE, index, bytes, ascii);
            if (backslash < index) backslash = placeOf(BACKSLASH, index, bytes, ascii);
            index = smaller(quote, backslash);
          }
          if (bytes[index] !== BACKSLASH) break;
          if (isOwnSpelling) isOwnSpelling = isOwnEscape(bytes, index + 1);
          index += 2;
          near = smaller(index + reach, size);
        }
        break;
      }
      case COLON:
        if (++parts > MOST_MEMBERS) {
          const name = depth > 1 ? bytes.subarray(nameStart, nameEnd) : undefined;
          throw tooMany(MOST_MEMBERS, "members in one object", name);
        }
        members++;
        if (depth === 1) {
          nameEnd = index;
          outermost++;
          valueStart = index + 1;
          membersBefore = members;
          isOwnSpelling = true;
        } else if (isOwnSpelling) {
          // Names that are numbers come before all others once they are parsed.
          isOwnSpelling = !isDigit(bytes[textStart + 1]);
        }
        break;
      case COMMA:
        if (parts >= 0) break;
        if (-(--parts) > MOST_ENTRIES) {
          const name = depth > 1 ? bytes.subarray(nameStart, nameEnd) : undefined;
          throw tooMany(MOST_ENTRIES, "entries in one list", name);
        }
        commas++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        outer.push(parts);
        if (++depth > maxDepth) throw tooDeep(maxDepth);
        parts = byte === OPEN_LIST ? -1 : 0;
        containers++;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        if (depth > 0) depth--;
        parts = outer.pop() ?? 0;
        break;
      default:
        if (!isOwnSpelling) break;
        if (byte <= SPACE) isOwnSpelling = false;
        else if (byte === MINUS || isDigit(byte)) {
          const start = index;
          while (isInNumber(bytes[index + 1])) index++;
          isOwnSpelling = isOwnNumber(bytes.subarray(start, index + 1));
        }
    }
  }
  if (members > MOST_MEMBERS_IN_ALL) throw tooMany(MOST_MEMBERS_IN_ALL, "members in its objects");
  if (commas > MOST_ENTRIES_IN_ALL) throw tooMany(MOST_ENTRIES_IN_ALL, "entries in its lists");
  if (containers > MOST_CONTAINERS) throw tooMany(MOST_CONTAINERS, "objects and lists");
  return { members: outermost, long };
}

function isBehindMember(byte: number): boolean {
  return byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_LIST;
}

function smaller(one: number, other: number): number {
  return one < other ? one : other;
}

/** The same bytes, four at a time, but for the last ones. */
function wordsOf(bytes: Uint8Array): Uint32Array {
  const { buffer, byteOffset } = byteOffsetFits(bytes) ? bytes : bytes.slice();
  return new Uint32Array(buffer, byteOffset, bytes.length >> 2);
}

function byteOffsetFits({ byteOffset }: Uint8Array): boolean {
  return byteOffset % Uint32Array.BYTES_PER_ELEMENT === 0;
}

/** Where the next quote or backslash is, at `end` if there is none before. */
function specialPlace(bytes: Uint8Array, words: Uint32Array, start: number, end: number): number {
  const lastWord = end >> 2;
  let index = start;
  let word = start >> 2;
  if (word < lastWord) {
    // Of the first four those before the start count as zero, which is nothing special.
    let special = specialsIn(words[word]! & (-1 << ((start & 3) << 3)));
    while (special === 0 && ++word < lastWord) special = specialsIn(words[word]!);
    if (special !== 0) return (word << 2) + ((31 - Math.clz32(special & -special)) >> 3);
    index = lastWord << 2;
  }
  while (index < end && !isSpecial(bytes[index]!)) index++;
  return index;
}

function isSpecial(byte: number): boolean {
  return byte === QUOTE || byte === BACKSLASH;
}

/**
 * Which of four bytes are special, as their highest bits: what is zero borrows from its own when one is
 * taken off. The lowest one is right; those above it may be what was borrowed from.
 */
function specialsIn(word: number): number {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const borrowed = ((quotes - 0x01010101) & ~quotes) |
    ((backslashes - 0x01010101) & ~backslashes);
  return borrowed & 0x80808080;
}

/** Where a byte is next; behind the last one if nowhere. */
function placeOf(byte: number, start: number, bytes: Uint8Array, ascii?: string): number {
  const found = ascii === undefined
    ? bytes.indexOf(byte, start)
    : ascii.indexOf(byte === QUOTE ? '"' : "\\", start);
  return found === -1 ? bytes.length : found;
}

/** Adds a member whose name needs no unfolding. */
function addLong(long: LongMember[], quoted: Uint8Array, value: Omit<LongMember, "name">): void {
  if (quoted.length > MOST_NAME_BYTES) return;
  const name = /^"(\w+)"\s*$/.exec(String.fromCharCode(...quoted))?.[1];
  if (name !== undefined) long.push({ name, ...value });
}

/** What stands behind the backslash of an escape of one letter. */
const IS_LETTER = new Uint8Array(256);
for (const letter of '"\\bfnrt') IS_LETTER[letter.charCodeAt(0)] = 1;
const UNICODE = 0x75;
/** Control characters that have none. */
const OTHER_CONTROL = /^00(?:0[0-7bef]|1[0-9a-f])$/;

/** Whether `JSON.stringify` escapes so, and does escape that; told by what is behind the backslash. */
function isOwnEscape(bytes: Uint8Array, at: number): boolean {
  const byte = bytes[at]!;
  if (byte !== UNICODE) return IS_LETTER[byte] === 1;
  return OTHER_CONTROL.test(String.fromCharCode(...bytes.subarray(at + 1, at + 5)));
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Digits, signs, the point and the exponent's letter. */
function isInNumber(byte: number | undefined): boolean {
  return isDigit(byte) || byte === MINUS || byte === 0x2b || byte === 0x2e || byte === 0x65 ||
    byte === 0x45;
}

/** The longest that a number is written with. */
const MOST_DIGITS = 32;

/** Whether `JSON.stringify` writes a number so. */
function isOwnNumber(bytes: Uint8Array): boolean {
  if (bytes.length === 1) return true;
  if (bytes.length > MOST_DIGITS) return false;
  const number = String.fromCharCode(...bytes);
  return String(Number(number)) === number;
}

/** @param name Of the field that they are in, as it stands in the body. */
function tooMany(most: number, what: string, name?: Uint8Array): GatewayError {
  const param = name === undefined ? undefined : fieldName(name);
  const where = param === undefined ? "Invalid body" : `Invalid value for '${param}'`;
  return new GatewayError(
    "invalid_value",
    `${where}: it has more than ${most} ${what}: send less at once`,
    { param },
  );
}

/** The name of a field, from its quotes; `undefined` where it is none. */
function fieldName(bytes: Uint8Array): string | undefined {
  try {
    const name: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, MOST_NAME_BYTES)));
    return typeof name === "string" ? name : undefined;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
}

function tooDeep(maxDepth: number): GatewayError {
  return new GatewayError("invalid_json", `The body is nested more than ${maxDepth} levels deep`);
}
