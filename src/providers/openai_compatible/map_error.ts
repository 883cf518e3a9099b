/**
 * What an upstream's failure means: its status and error body, in any of the
 * shapes that compatible servers send, as an {@linkcode UpstreamError}.
 *
 * @module
 */

import { type JsonObject, UpstreamError, type UpstreamFailure } from "../provider.ts";
import { cleanMessage, type Concealed } from "./clean_message.ts";
import { isObject, nonEmptyString } from "../json_value.ts";
import { parseUpstreamJson } from "../upstream_json.ts";

/** An error body, whatever its shape was. */
export interface ErrorBody {
  readonly message: string | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param: string | undefined;
  /** A status given inside the body, as Gemini and OpenRouter do. */
  readonly status: number | undefined;
}

const POLICY =
  /content_filter|content_policy|content_management|responsible_?ai|moderation|safety|bio_policy/;
const QUOTA = /insufficient_quota|billing|insufficient_balance|exceeded_current_quota/;
const BUSY = /rate_limit|overloaded|too_many_requests|resource_exhausted|engine_busy|server_busy/;
const KEY = /invalid_api_key|authentication|permission|unauthorized|account_deactivated/;
const MODEL = /model_not_found|invalid_model|model_not_available|deployment_?not_?found/;
const CALLER =
  /invalid_request|invalid_argument|bad_?request|context_length|invalid_prompt|unprocessable/;
/** What the Responses API says of images, in its own words. */
const IMAGE =
  /invalid_(?:base64_)?image|unsupported_image|empty_image|download_image|\bimage_(?:too|parse|file)/;
/** Said with a 400 by xAI and Gemini (key), Anthropic (credit) and DeepSeek (model). */
const OPERATOR_MESSAGE =
  /(?:incorrect|invalid) api key|api key not valid|credit balance is too low|^model not exist$/i;

/** Longest pause that an upstream may ask for: a day. */
const MAX_RETRY_AFTER_SECONDS = 86_400;

/** Makes the error of an answer whose status is not 2xx. */
export function errorOfAnswer(answer: {
  readonly status: number;
  readonly header: (name: string) => string | undefined;
  /** The body, or as much of it as could be read. */
  readonly text: string;
  /** Milliseconds since the epoch, for `Retry-After` as a date. */
  readonly now: number;
}, concealed: Concealed): UpstreamError {
  const body = parseErrorBody(answer.text);
  const retryAfterSeconds = parseRetryAfter(answer.header, answer.now);
  const { status } = answer;
  if (status >= 300 && status < 400) {
    return new UpstreamError("broken", `The upstream answered ${status}, a redirect`, { status });
  }
  const failure = failureOf(status, body, retryAfterSeconds !== undefined);
  return makeError(failure, body, { status, retryAfterSeconds, concealed });
}

/**
 * Makes the error of an error object inside a 200: in a stream's data line or a
 * plain body. Its own status or words decide; without any it is `broken`.
 */
export function errorInBand(value: unknown, concealed: Concealed): UpstreamError {
  const body = readErrorBody(value);
  const failure = body.status === undefined
    ? failureOfWords(body) ?? "broken"
    : failureOf(body.status, body, false);
  // A caller's fault needs a status that the caller can be told.
  const status = body.status ?? (failure === "caller" ? 400 : undefined);
  return makeError(failure, body, { status, retryAfterSeconds: undefined, concealed });
}

/** Whether an object inside a 200 is an error rather than an answer or a chunk. */
export function isErrorObject(value: JsonObject, eventName = ""): boolean {
  if (value.error !== undefined && value.error !== null && value.error !== false) return true;
  if (value.choices !== undefined) return false;
  return eventName === "error" || value.object === "error" || value.type === "error" ||
    (value.id === undefined &&
      (nonEmptyString(value.message) !== undefined || value.detail !== undefined));
}

/** Reads an error body of any known shape from text; text that is not JSON has no message. */
export function parseErrorBody(text: string): ErrorBody {
  try {
    return readErrorBody(parseUpstreamJson(text));
  } catch {
    // A page or a proxy's words: its status says enough, and its text is not for callers.
    return NO_BODY;
  }
}

/**
 * `Retry-After` as seconds, from `retry-after-ms`, or `retry-after` in seconds or
 * as an HTTP date (RFC 9110, 10.2.3). Nonsense and the past give `undefined` and 0.
 */
export function parseRetryAfter(
  header: (name: string) => string | undefined,
  now: number,
): number | undefined {
  const milliseconds = decimal(header("retry-after-ms"));
  if (milliseconds !== undefined) return clampSeconds(milliseconds / 1000);
  const value = header("retry-after")?.trim();
  if (value === undefined || value === "") return undefined;
  const seconds = decimal(value);
  if (seconds !== undefined) return clampSeconds(seconds);
  const at = /[A-Za-z]{3}/.test(value) ? Date.parse(value) : NaN;
  return Number.isNaN(at) ? undefined : clampSeconds((at - now) / 1000);
}

function failureOf(status: number, body: ErrorBody, hasRetryAfter: boolean): UpstreamFailure {
  const words = wordsOf(body);
  if (status >= 400 && status < 500 && status !== 429 && POLICY.test(words)) return "caller";
  switch (status) {
    case 400:
    case 413:
    case 422:
      return isOperatorsFault(body, words) ? "operator" : "caller";
    case 408:
    case 409:
    case 425:
      return "broken";
    case 429:
      return QUOTA.test(words) ? "operator" : "busy";
    case 503:
    case 529:
      return hasRetryAfter ? "busy" : "broken";
  }
  // Other 4xx (401 … 405, 410 …): this route cannot serve anyone as it is configured.
  return status >= 400 && status < 500 ? "operator" : "broken";
}

function failureOfWords(body: ErrorBody): UpstreamFailure | undefined {
  const words = wordsOf(body);
  if (POLICY.test(words)) return "caller";
  if (QUOTA.test(words) || isOperatorsFault(body, words)) return "operator";
  if (BUSY.test(words)) return "busy";
  if (CALLER.test(words) || IMAGE.test(words)) return "caller";
  return undefined;
}

function isOperatorsFault(body: ErrorBody, words: string): boolean {
  return KEY.test(words) || MODEL.test(words) || OPERATOR_MESSAGE.test(body.message ?? "");
}

function wordsOf(body: ErrorBody): string {
  return `${body.code ?? ""} ${body.type ?? ""}`.toLowerCase();
}

function makeError(failure: UpstreamFailure, body: ErrorBody, context: {
  readonly status: number | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly concealed: Concealed;
}): UpstreamError {
  const { status, retryAfterSeconds, concealed } = context;
  const publicMessage = body.message === undefined
    ? undefined
    : cleanMessage(body.message, concealed);
  const answered = status === undefined
    ? "The upstream sent an error"
    : `The upstream answered ${status}`;
  // The caller of a refused request is told these words, which may quote the prompt: not for a log.
  const words = failure === "caller" ? undefined : publicMessage;
  return new UpstreamError(
    failure,
    words === undefined ? answered : `${answered}: ${words}`,
    {
      status,
      code: identifier(body.code, concealed),
      param: identifier(body.param, concealed),
      retryAfterSeconds,
      publicMessage,
    },
  );
}

const NO_BODY: ErrorBody = {
  message: undefined,
  code: undefined,
  type: undefined,
  param: undefined,
  status: undefined,
};

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

/** Codes and parameter names pass through only when they look like such and give nothing away. */
export function identifier(value: string | undefined, concealed: Concealed): string | undefined {
  if (value === undefined || !/^[\w.\-[\]/]{1,100}$/.test(value)) return undefined;
  return cleanMessage(value, concealed) === value ? value : undefined;
}

function decimal(value: string | undefined): number | undefined {
  return value !== undefined && /^\s*\d{1,12}(?:\.\d{1,6})?\s*$/.test(value)
    ? Number(value)
    : undefined;
}

function clampSeconds(seconds: number): number {
  return Math.min(Math.max(seconds, 0), MAX_RETRY_AFTER_SECONDS);
}
