/**
 * Parses what upstreams send, and reads bodies for it within bounds. The parser takes any nesting, and
 * whoever writes the value again does not: after an answer is paid for there is no way to say that it
 * cannot be told.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { MAX_ERROR_BYTES } from "../transport/limits.ts";
import type { ErrorForm } from "../../dialects/base/error_form.ts";

/** Twice what a request may have; the parsers of many clients take no more than a thousand. */
const MOST_LEVELS = 500;

/**
 * The value of a JSON text.
 *
 * @throws {SyntaxError} When it is none; its message quotes the text.
 * @throws {UpstreamError} `broken` when it is nested deeper than 500 levels.
 */
export function parseUpstreamJson(text: string): unknown {
  // What is nested deeper has more characters: most events of a stream are not looked at twice.
  if (text.length > 2 * MOST_LEVELS && isDeeperThan(MOST_LEVELS, text)) {
    throw new UpstreamError(
      "broken",
      `The upstream answered with JSON nested more than ${MOST_LEVELS} levels deep`,
    );
  }
  return JSON.parse(text);
}

const QUOTE = 0x22;
const OPEN_LIST = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;

function isDeeperThan(most: number, text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfText(text, at);
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        if (++depth > most) return true;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth--;
        break;
    }
  }
  return false;
}

/** Where the quote is that ends the text which begins at one; the end of all where there is none. */
function endOfText(text: string, start: number): number {
  for (let from = start + 1;;) {
    const end = text.indexOf('"', from);
    if (end === -1) return text.length;
    let before = end;
    while (before > from && text.charCodeAt(before - 1) === BACKSLASH) before--;
    // An even number of backslashes are so many pairs.
    if ((end - before) % 2 === 0) return end;
    from = end + 1;
  }
}

/** The object that a text is; an empty one where it is none. For what says more than a status does. */
export function objectIn(text: string): JsonObject {
  try {
    const value = parseUpstreamJson(text);
    return isObject(value) ? value : {};
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof UpstreamError) return {};
    throw error;
  }
}

/** An error's body, or "" when it cannot be read: its status says enough. */
export async function errorText(response: UpstreamResponse): Promise<string> {
  try {
    return await response.text(MAX_ERROR_BYTES);
  } catch (error) {
    if (error instanceof UpstreamError && error.failure === "broken") return "";
    throw error;
  }
}

/**
 * The JSON of a 2xx.
 *
 * @throws {UpstreamError} `broken` when the text is no JSON object, or one that is nested too deep.
 */
export function parseBody(text: string, errors: ErrorForm): JsonObject {
  let body: unknown;
  try {
    body = parseUpstreamJson(text);
  } catch (error) {
    if (error instanceof UpstreamError) throw error;
    // The parser's own message quotes the answer, which is the model's words: not for a log.
    const what = text.trim() === "" ? "an empty body" : "something that is not JSON";
    throw new UpstreamError("broken", `The upstream answered with ${what}`);
  }
  // Gemini wraps even the envelope of an error in a list.
  if (Array.isArray(body) && isObject(body[0]) && errors.isError(body[0])) return body[0];
  if (!isObject(body)) {
    throw new UpstreamError("broken", "The upstream answered with JSON that is no object");
  }
  return body;
}

/** Whether a status is 2xx. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** A content type fit for a message: without parameters, bounded. */
export function shortType(type: string): string {
  const name = type.split(";", 1)[0]!.trim().slice(0, 60);
  return /^[\w.+-]+\/[\w.+-]+$/.test(name) ? name : "no content type";
}
