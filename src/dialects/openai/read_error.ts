/**
 * Reads the error bodies of compatible servers, in any of the shapes that they
 * send.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { type ErrorBody, type ErrorForm, NO_BODY } from "../base/error_form.ts";

/** The form of errors of OpenAI and its look-alikes. */
export const OPENAI_ERRORS: ErrorForm = {
  parse: parseErrorBody,
  read: readErrorBody,
  isError: isErrorObject,
};

/** Events in which a word such as `message` is no error: of the Responses API, and signs of life. */
const EVENT_TYPE = /\.|^(?:ping|keep.?alive|heart.?beat)/i;

function isErrorObject(value: JsonObject, eventName = ""): boolean {
  // Some have an empty one in whatever they send.
  if (isObject(value.error) || nonEmptyString(value.error) !== undefined) return true;
  if (value.choices !== undefined) return false;
  const type = nonEmptyString(value.type) ?? eventName;
  if (type === "error" || eventName === "error" || value.object === "error") return true;
  if (EVENT_TYPE.test(type)) return false;
  return value.id === undefined &&
    (nonEmptyString(value.message) !== undefined || value.detail !== undefined);
}

/** Reads an error body of any known shape from text; text that is not JSON has no message. */
function parseErrorBody(text: string): ErrorBody {
  try {
    return readErrorBody(JSON.parse(text));
  } catch {
    // A page or a proxy's words: its status says enough, and its text is not for callers.
    return NO_BODY;
  }
}

/**
 * Reads an error body of any known shape: an envelope, a bare message, FastAPI's
 * `detail`, a list around either.
 */
export function readErrorBody(value: unknown): ErrorBody {
  // Gemini wraps the envelope in a list.
  if (Array.isArray(value)) return value.length > 0 ? readErrorBody(value[0]) : NO_BODY;
  if (typeof value === "string") return { ...NO_BODY, message: nonEmptyString(value) };
  if (!isObject(value)) return NO_BODY;
  if (isObject(value.error)) return readEnvelope(value.error);
  const flat = readEnvelope(value);
  if (typeof value.error === "string") {
    return { ...flat, message: flat.message ?? nonEmptyString(value.error) };
  }
  return flat;
}

function readEnvelope(error: JsonObject): ErrorBody {
  const detail = readDetail(error.detail) ??
    (isObject(error.message) ? readDetail(error.message.detail) : undefined);
  const status = [error.code, error.status, error.status_code].find(isStatus);
  return {
    message: nonEmptyString(error.message) ?? detail?.message,
    code: nonEmptyString(error.code) ?? reasonOf(error.details),
    type: nonEmptyString(error.type) ?? nonEmptyString(error.status),
    param: nonEmptyString(error.param) ?? detail?.param,
    status,
  };
}

/** FastAPI's `detail`: a string, an envelope, or a list of strings or `{loc, msg}`. */
function readDetail(detail: unknown): { message?: string; param?: string } | undefined {
  if (typeof detail === "string") return { message: detail };
  if (isObject(detail)) {
    const inner = readErrorBody(detail);
    return inner.message === undefined ? undefined : { message: inner.message };
  }
  if (!Array.isArray(detail)) return undefined;
  const messages: string[] = [];
  let param: string | undefined;
  for (const entry of detail.slice(0, 5)) {
    if (typeof entry === "string" && entry !== "") messages.push(entry);
    if (!isObject(entry) || typeof entry.msg !== "string") continue;
    const path = Array.isArray(entry.loc)
      ? entry.loc.filter((part, at) => !(at === 0 && part === "body")).join(".")
      : "";
    param ??= nonEmptyString(path);
    messages.push(path === "" ? entry.msg : `${path}: ${entry.msg}`);
  }
  if (messages.length === 0) return undefined;
  return { message: messages.join("; "), ...(param === undefined ? {} : { param }) };
}

/** Google's `details: [{reason: "API_KEY_INVALID"}]`. */
function reasonOf(details: unknown): string | undefined {
  if (!Array.isArray(details)) return undefined;
  for (const entry of details) {
    const reason = isObject(entry) ? nonEmptyString(entry.reason) : undefined;
    if (reason !== undefined) return reason === "API_KEY_INVALID" ? "invalid_api_key" : reason;
  }
  return undefined;
}

function isStatus(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 400 && (value as number) <= 599;
}
