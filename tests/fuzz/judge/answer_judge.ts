/**
 * What every answer must be: documented, of the published shape, without a fault of ours, and silent
 * about what is none of the caller's business.
 *
 * @module
 */

import { ERROR_TABLE } from "../../../src/errors.ts";
import { faultsOf } from "../../support/schema_check.ts";
import type { ApiDocument, ApiOperation } from "../api_operation.ts";
import type { FuzzAnswer } from "../send_case.ts";

const CODES = new Set(Object.values(ERROR_TABLE).map(({ status, code }) => `${status} ${code}`));
/** Refusals before any path is looked at, and of methods that a path has not. */
const OF_NO_OPERATION = new Set([
  "400 malformed_request",
  "431 request_head_too_large",
  "505 http_version_not_supported",
  "405 method_not_allowed",
  "404 not_found",
]);
/** Of heads that nobody has read: whose words they are in is not known. */
const OF_HEADS = new Set<unknown>([
  "malformed_request",
  "request_head_too_large",
  "http_version_not_supported",
]);
const SCRIPTED = new Set([
  "502 upstream_error",
  "503 NO_AVAILABLE_ROUTE",
  "503 PROVIDER_TEMPORARILY_UNAVAILABLE",
]);
/** What Anthropic's clients are told in place of 503. */
const OVERLOADED = 529;
const ERROR_KEYS = ["code", "message", "param", "type"];
const TRACE = /\.ts\b|\bat \S+ \(|node:|os error|ECONN|\/(?:home|root|tmp|work)\/|SQLITE|\[object /;

/** What is known of the request. */
export interface AnswerManner {
  readonly isHead: boolean;
  /** It names a model that is scripted to fail. */
  readonly mayFail: boolean;
  /** Which operation a later answer on the connection is of, nobody knows. */
  readonly isFirst: boolean;
}

/** Says what is wrong with answers. */
export class AnswerJudge {
  readonly #document: ApiDocument;

  constructor(document: ApiDocument) {
    this.#document = document;
  }

  /** Sentences; none for an answer that is as it should be. */
  faults(
    answer: FuzzAnswer,
    operation: ApiOperation | undefined,
    manner: AnswerManner,
  ): readonly string[] {
    const { isHead } = manner;
    const { status, headers } = answer;
    const about = `${operation?.id ?? "nothing"} is answered ${status}`;
    const type = headers.get("content-type")?.split(";")[0];
    if (!/^req_[\w-]+$/.test(headers.get("x-request-id") ?? "")) {
      return [`${about} without an x-request-id`];
    }
    if (status >= 400 && !isHead) {
      return this.#errorFaults(answer, operation, manner).map((one) => `${about}: ${one}`);
    }
    if (!manner.isFirst || (isHead && status >= 400)) return [];
    if (operation === undefined) return [`${about}, but the document has no such operation`];
    const types = operation.answers.get(status);
    if (types === undefined) return [`${about}, which is not documented`];
    if (isHead || types.length === 0) return [];
    if (!types.includes(type ?? "")) return [`${about} with the type ${type}: not documented`];
    return this.#bodyFaults(answer, operation, type!).map((one) => `${about}: ${one}`);
  }

  #errorFaults(
    { status, headers, body }: FuzzAnswer,
    operation: ApiOperation | undefined,
    { mayFail, isFirst }: AnswerManner,
  ): string[] {
    const isAnthropic = body.startsWith('{"type":"error"');
    const error = isAnthropic ? readAnthropicError(body) : readError(body);
    if (error === undefined || !isFamilyOf(operation, isAnthropic, error.code)) {
      return [`no error in the family's shape: ${body.slice(0, 200)}`];
    }
    const keys = Object.keys(error).filter((key) => key !== "routes").sort();
    const pair = `${isAnthropic && status === OVERLOADED ? 503 : status} ${error.code}`;
    const message = String(error.message);
    const isDocumented = operation === undefined
      ? OF_NO_OPERATION.has(pair) || !isFirst
      : operation.answers.has(status) || OF_NO_OPERATION.has(pair);
    return [
      headers.get("content-type") !== "application/json" && "it is not JSON",
      keys.join() !== ERROR_KEYS.join() && `it has the keys ${keys}`,
      !CODES.has(pair) && `there is no ${pair} in the table of errors`,
      !isDocumented && `${pair} is not documented there: ${message}`,
      status >= 500 && status !== 505 && !(mayFail && SCRIPTED.has(pair)) &&
      `${pair} is our fault: ${message}`,
      TRACE.test(message) && `it tells of our insides: ${message}`,
      ...this.#check(
        `#/components/schemas/Error${isAnthropic ? "_anthropic" : ""}`,
        JSON.parse(body),
      ),
    ].filter((one) => one !== false);
  }

  #bodyFaults({ body, status }: FuzzAnswer, { path, method }: ApiOperation, type: string) {
    if (type === "text/event-stream") return streamFaults(body);
    if (type !== "application/json") return [];
    const place = `#/paths/${
      path.replaceAll("/", "~1")
    }/${method.toLowerCase()}/responses/${status}`;
    return this.#check(`${place}/content/application~1json/schema`, JSON.parse(utf8(body)));
  }

  #check(pointer: string, value: unknown): string[] {
    return faultsOf(this.#document, pointer, value).slice(0, 3);
  }
}

/** Whether an error may be in Anthropic's shape, or in OpenAI's. */
function isFamilyOf(
  operation: ApiOperation | undefined,
  isAnthropic: boolean,
  code: unknown,
): boolean {
  // A method that a path has not is refused in the words of the path's clients, models have both.
  if (operation === undefined || operation.path.includes("/models")) return true;
  const isOurs = operation.path.includes("/messages") === isAnthropic;
  return isOurs || (!isAnthropic && OF_HEADS.has(code));
}

/** Bytes as Latin-1, read as the UTF-8 that they are. */
export function utf8(body: string): string {
  return new TextDecoder("utf-8", { fatal: true }).decode(
    Uint8Array.from(body, (character) => character.charCodeAt(0)),
  );
}

function readError(body: string): Record<string, unknown> | undefined {
  return readErrorIn(body, []);
}

/** The error in an envelope that has these keys besides. */
function readErrorIn(
  body: string,
  keys: readonly string[],
): Record<string, unknown> | undefined {
  try {
    const { error, ...rest } = JSON.parse(utf8(body));
    return Object.keys(rest).sort().join() === keys.join() && typeof error === "object" &&
        error !== null
      ? error
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

/** The same in OpenAI's words. */
function readAnthropicError(body: string): Record<string, unknown> | undefined {
  const error = readErrorIn(body, ["request_id", "type"]);
  if (error === undefined) return undefined;
  const { details = {}, type, message } = error as Record<string, Record<string, unknown>>;
  return { type, message, param: details.param ?? null, code: details.error_code };
}

/** Every event is JSON or the end, and an error within is in the same shape. */
function streamFaults(body: string): string[] {
  return utf8(body).split("\n").filter((line) => line.startsWith("data:")).flatMap((line) => {
    const text = line.slice(5).trim();
    if (text === "[DONE]") return [];
    try {
      const { error } = JSON.parse(text);
      const isPlain = error === undefined || error === null || "message" in error;
      return isPlain ? [] : [`a stream's error is ${text.slice(0, 200)}`];
    } catch {
      return [`a stream's event is no JSON: ${text.slice(0, 200)}`];
    }
  });
}
