/**
 * Measures the shape of a JSON text before it is parsed: how deep it is nested, and how many
 * parts it has. A megabyte of small parts takes a hundred times as long to parse, to check and
 * to write again as a megabyte of text.
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

/** Of a text, before the end is searched for: most texts end within. */
const LOOKED_AT_BY_BYTE = 128;

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

/**
 * Looks at each byte once. What is no JSON is not found out here: its parser says where.
 *
 * @throws {GatewayError} `invalid_json` when it is nested deeper than is taken; `invalid_value` when
 * it has more parts, with the field where there are too many.
 */
export function checkJsonShape(bytes: Uint8Array, maxDepth: number): void {
  const outer: number[] = [];
  /** Of the innermost container: members of an object, or -1 less the commas of a list. */
  let parts = 0;
  let members = 0;
  let commas = 0;
  let containers = 0;
  /** Of the last text in the outermost object where it begins, and the colon behind it if it is a name. */
  let nameStart = 0;
  let nameEnd = 0;
  const tooManyHere = (most: number, what: string) => {
    const isInField = outer.length > 1;
    return tooMany(most, what, isInField ? bytes.subarray(nameStart, nameEnd) : undefined);
  };
  for (let index = 0; index < bytes.length; index++) {
    switch (bytes[index]) {
      case QUOTE:
        if (outer.length === 1) nameStart = index;
        index = endOfText(bytes, index + 1);
        break;
      case COLON:
        if (++parts > MOST_MEMBERS) throw tooManyHere(MOST_MEMBERS, "members in one object");
        members++;
        if (outer.length === 1) nameEnd = index;
        break;
      case COMMA:
        if (parts >= 0) break;
        if (-(--parts) > MOST_ENTRIES) throw tooManyHere(MOST_ENTRIES, "entries in one list");
        commas++;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        outer.push(parts);
        if (outer.length > maxDepth) throw tooDeep(maxDepth);
        parts = bytes[index] === OPEN_LIST ? -1 : 0;
        containers++;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        parts = outer.pop() ?? 0;
        break;
    }
  }
  if (members > MOST_MEMBERS_IN_ALL) throw tooMany(MOST_MEMBERS_IN_ALL, "members in its objects");
  if (commas > MOST_ENTRIES_IN_ALL) throw tooMany(MOST_ENTRIES_IN_ALL, "entries in its lists");
  if (containers > MOST_CONTAINERS) throw tooMany(MOST_CONTAINERS, "objects and lists");
}

/** Where the quote is that ends a text; behind the last byte if there is none. */
function endOfText(bytes: Uint8Array, start: number): number {
  let index = start;
  for (;;) {
    const byByte = Math.min(index + LOOKED_AT_BY_BYTE, bytes.length);
    for (; index < byByte; index++) {
      const byte = bytes[index];
      if (byte === QUOTE) return index;
      if (byte === BACKSLASH) index++;
    }
    if (index >= bytes.length) return bytes.length;
    // A long text: to search natively takes a tenth of the time.
    const quote = bytes.indexOf(QUOTE, index);
    if (quote === -1) return bytes.length;
    let backslashes = 0;
    while (quote - 1 - backslashes >= index && bytes[quote - 1 - backslashes] === BACKSLASH) {
      backslashes++;
    }
    if (backslashes % 2 === 0) return quote;
    index = quote + 1;
  }
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
