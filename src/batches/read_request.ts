/**
 * Reads a line of a batch: whose answer it asks for, and of what.
 *
 * @module
 */

import type { BatchFault } from "../domain/batch.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { GatewayError } from "../errors.ts";
import type { InputLine } from "./input_lines.ts";

/** A line that can be asked. */
export interface BatchRequest {
  readonly line: number;
  /** Its caller's name for it. */
  readonly customId: string;
  readonly body: JsonObject;
}

/** What is wrong with a line. */
export interface LineFault {
  readonly fault: BatchFault;
}

const MOST_ID_CHARACTERS = 512;

/** What a line may be. */
export interface LineBounds {
  readonly mostBytes: number;
  /** @throws {GatewayError} Of JSON that takes too much to be read or written. */
  readonly checkShape: (bytes: Uint8Array) => void;
}

/** @param endpoint Path that every line of the batch asks for. */
export function readRequest(
  { line, bytes }: InputLine,
  { endpoint, bounds }: { readonly endpoint: string; readonly bounds: LineBounds },
): BatchRequest | LineFault {
  const wrong = (code: string, message: string, param: string | null = null): LineFault => ({
    fault: { code, message, param, line },
  });
  if (bytes === undefined) {
    return wrong("line_too_long", `This line is longer than ${bounds.mostBytes} bytes: send less`);
  }
  let value: unknown;
  try {
    bounds.checkShape(bytes);
    value = parsed(bytes);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return wrong("invalid_json_line", error.message);
  }
  if (!isObject(value)) {
    return wrong(
      "invalid_json_line",
      "This line is not a JSON object in UTF-8: each request is one",
    );
  }
  const { custom_id: customId, method, url, body } = value;
  if (typeof customId !== "string" || customId === "" || customId.length > MOST_ID_CHARACTERS) {
    return wrong(
      "missing_required_parameter",
      `'custom_id' must be a text of 1 to ${MOST_ID_CHARACTERS} characters`,
      "custom_id",
    );
  }
  if (method !== "POST") return wrong("invalid_method", "'method' must be 'POST'", "method");
  if (url !== endpoint) {
    return wrong("invalid_url", `'url' must be the endpoint of the batch, '${endpoint}'`, "url");
  }
  if (!isObject(body)) {
    return wrong("missing_required_parameter", "'body' must be the request, an object", "body");
  }
  const param = ["stream", "background"].find((name) => body[name] === true);
  if (param !== undefined) {
    return wrong(
      "not_supported",
      `'${param}' is not possible in a batch: leave it out`,
      `body.${param}`,
    );
  }
  return { line, customId, body };
}

/** `undefined` of what is no JSON in UTF-8. */
function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(utf8.decode(bytes));
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    return undefined;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
