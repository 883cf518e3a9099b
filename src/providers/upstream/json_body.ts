/**
 * Bodies of answers, read within bounds: what is taken for JSON, and what is said of anything else.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { MAX_ERROR_BYTES } from "../transport/limits.ts";
import type { ErrorForm } from "../../dialects/base/error_form.ts";
import { parseUpstreamJson } from "./upstream_json.ts";

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
