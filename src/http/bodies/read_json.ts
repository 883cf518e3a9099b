/**
 * Reads a JSON request body: type, size, shape and syntax, each with its own
 * error. Nothing about a body is trusted before it is through here.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import { checkJsonShape } from "./json_shape.ts";
import { IncomingRequest } from "../listener/incoming_request.ts";
import { type BodyLimits, type ParsedBody, readBodyWithin } from "./read_body.ts";
import { isAscii } from "node:buffer";

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
  if (type === null || !JSON_TYPE.test(type)) {
    throw new GatewayError(
      "unsupported_content_type",
      `The content type '${
        (type ?? "").slice(0, 80)
      }' is not supported here: send 'Content-Type: application/json'`,
    );
  }
  const bytes = await readBodyWithin(request, limits);
  try {
    const isLarge = bytes.length >= LARGE_BYTES;
    const value = isLarge
      ? await parseInTurns(bytes, limits.maxDepth)
      : parse(bytes, limits.maxDepth);
    return { value, bytes: bytes.length };
  } catch (error) {
    limits.budget.release(bytes.length);
    throw error;
  }
}

function parse(bytes: Uint8Array, maxDepth: number): unknown {
  checkShape(bytes, maxDepth);
  return parseText(toText(bytes));
}

async function parseInTurns(bytes: Uint8Array, maxDepth: number): Promise<unknown> {
  await rest(0);
  await inTurn(() => checkShape(bytes, maxDepth));
  const text = await inTurn(() => toText(bytes));
  return await inTurn(() => parseText(text));
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

function checkShape(bytes: Uint8Array, maxDepth: number): void {
  if (bytes.length === 0) {
    throw new GatewayError("invalid_json", "The body is empty: send a JSON object");
  }
  checkJsonShape(bytes, maxDepth);
}

function toText(bytes: Uint8Array): string {
  try {
    return decodeText(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new GatewayError("invalid_json", "The body is not valid UTF-8");
  }
}

function parseText(text: string): unknown {
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

const strict = new TextDecoder("utf-8", { fatal: true });
/** In ASCII there is nothing to replace. */
const ofAscii = new TextDecoder();
/** What is shorter is decoded as quickly either way. */
const LONG_BYTES = 4096;

/**
 * Decodes UTF-8. Long ASCII, as most large bodies are (images and files are base64), takes a tenth
 * of the strict decoder's time, on Deno 2.6 and 2.9; a buffer's own `toString("latin1")` is quicker
 * still on 2.9, and fifty times slower on 2.6.
 *
 * @throws {TypeError} when it is not UTF-8
 */
export function decodeText(bytes: Uint8Array): string {
  const isLongAscii = bytes.length >= LONG_BYTES && isAscii(bytes);
  return (isLongAscii ? ofAscii : strict).decode(bytes);
}
