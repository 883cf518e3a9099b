/**
 * Reads a JSON request body: type, size, shape and syntax, each with its own
 * error. Nothing about a body is trusted before it is through here.
 *
 * @module
 */

import { rememberSource } from "../../domain/json_source.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { GatewayError } from "../../errors.ts";
import { checkJsonShape, type JsonShape } from "./json_shape.ts";
import type { ByteRoom } from "../../limits/stay.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { type BodyLimits, type ParsedBody, readBodyWithin } from "./read_body.ts";

/** How large and how deep a body may be. */
export interface JsonLimits extends BodyLimits {
  readonly maxDepth: number;
}

/**
 * From so many bytes on every step of the reading is a turn of the event loop by itself, and the
 * others have as long as it took before the next: they do not wait for all steps together, though
 * a call needs several turns.
 */
const LARGE_BYTES = 512 * 1024;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i;

/**
 * Reads and parses a body.
 *
 * @throws {GatewayError}
 */
export async function readJson(request: Request, limits: JsonLimits): Promise<ParsedBody> {
  const type = IncomingRequest.header(request, "content-type");
  if (type === null || !isJsonType(type)) {
    throw new GatewayError(
      "unsupported_content_type",
      `The content type '${
        (type ?? "").slice(0, 80)
      }' is not supported here: send 'Content-Type: application/json'`,
    );
  }
  const bytes = await readBodyWithin(request, limits);
  if (!IncomingRequest.keepsBody(request)) giveUpWhenOver(bytes, limits.budget);
  try {
    const isLarge = bytes.length >= LARGE_BYTES;
    const value = isLarge
      ? await parseInTurns(bytes, limits.maxDepth)
      : parseJson(bytes, limits.maxDepth);
    return { value, bytes: bytes.length };
  } catch (error) {
    limits.budget.release(bytes.length);
    throw error;
  }
}

/** Whether a content type is one of JSON. */
export function isJsonType(type: string): boolean {
  return JSON_TYPE.test(type);
}

/**
 * The value of a body that is not large; its long members may be written with its bytes later.
 *
 * @throws {GatewayError}
 */
export function parseJson(bytes: Uint8Array<ArrayBuffer>, maxDepth: number): unknown {
  const text = textOf(bytes);
  const shape = shapeOf(bytes, text, maxDepth);
  const value = parseText(text);
  if (shape.long.length > 0) rememberSources(value, bytes, shape);
  return value;
}

/** Of less memory it costs more to be given up than to be collected. */
const LEAST_GIVEN_UP = 1024;

/**
 * Has a body's memory free once nobody needs it, and not when the engine finds so: until then it counts
 * as if it were in its heap, and a hundred kilobytes for each call have it look through all of that all
 * the time. Whoever looks at the bytes even so finds none.
 */
export function giveUpWhenOver(
  bytes: Uint8Array<ArrayBuffer>,
  room: Pick<ByteRoom, "whenOver">,
): void {
  if (bytes.length >= LEAST_GIVEN_UP) room.whenOver?.(() => void bytes.buffer.transfer(0));
}

async function parseInTurns(bytes: Uint8Array<ArrayBuffer>, maxDepth: number): Promise<unknown> {
  await rest(0);
  const text = await inTurn(() => textOf(bytes));
  const shape = await inTurn(() => shapeOf(bytes, text, maxDepth));
  const value = await inTurn(() => parseText(text));
  if (shape.long.length > 0) await inTurn(() => rememberSources(value, bytes, shape));
  return value;
}

async function inTurn<Value>(step: () => Value): Promise<Value> {
  const begun = performance.now();
  const value = step();
  await rest(performance.now() - begun);
  return value;
}

/** By a timer, as sockets have their turn before it too. */
function rest(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Its shape goes before its coding, whose fault is told by no text. */
function shapeOf(bytes: Uint8Array, text: string | undefined, maxDepth: number): JsonShape {
  if (bytes.length === 0) {
    throw new GatewayError("invalid_json", "The body is empty: send a JSON object");
  }
  // In UTF-8 only ASCII has as many characters as bytes.
  const isAscii = text?.length === bytes.length;
  return checkJsonShape(bytes, maxDepth, isAscii ? text : undefined);
}

/** `undefined` where it is not UTF-8. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}

function parseText(text: string | undefined): unknown {
  if (text === undefined) {
    throw new GatewayError("invalid_json", "The body is not valid UTF-8");
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    // The parser's words quote the body, which neither the log nor an error is to repeat.
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(error.message)?.[0];
    throw new GatewayError(
      "invalid_json",
      `The body is not valid JSON${place === undefined ? "" : `: look ${place}`}`,
    );
  }
}

/**
 * Has long members written with the bytes that they came in. No two names of an object are equal where
 * as many are left as were written.
 */
function rememberSources(
  value: unknown,
  bytes: Uint8Array<ArrayBuffer>,
  { members, long }: JsonShape,
): void {
  if (!isObject(value) || Object.keys(value).length !== members) return;
  for (const { name, start, end, members: within } of long) {
    const member = value[name];
    if (typeof member !== "object" || member === null || countMembers(member) !== within) continue;
    rememberSource(member, bytes.subarray(start, end));
  }
}

function countMembers(value: object): number {
  let count = 0;
  if (Array.isArray(value)) {
    for (const one of value) {
      if (typeof one === "object" && one !== null) count += countMembers(one);
    }
    return count;
  }
  for (const name in value) {
    count++;
    const one = (value as JsonObject)[name];
    if (typeof one === "object" && one !== null) count += countMembers(one);
  }
  return count;
}

const strict = new TextDecoder("utf-8", { fatal: true });
const lenient = new TextDecoder();
/** What malformed bytes become. */
const REPLACEMENT = "\uFFFD";

/**
 * Decodes UTF-8. The lenient decoder takes a third to an eighth of the strict one's time: that is asked
 * only where something may have been replaced.
 *
 * @throws {TypeError} when it is not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  const text = lenient.decode(bytes);
  return text.includes(REPLACEMENT) ? strict.decode(bytes) : text;
}
