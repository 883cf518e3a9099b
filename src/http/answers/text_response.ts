/**
 * Answers that are text: JSON and server-sent events, each with the request's id.
 *
 * @module
 */

import { type LeanContent, LeanResponse } from "../listener/lean_response.ts";
import type { StreamAnswer } from "../../gateway/call_engine.ts";
import type { TextParts } from "../../domain/text_parts.ts";
import type { Stay } from "../../limits/stay.ts";
import type { Family } from "../../dialects/base/dialect.ts";
import { GatewayError } from "../../errors.ts";

/** Makes a JSON answer. `extra` headers win over the standard ones. */
export function jsonResponse(
  body: unknown,
  requestId: string,
  status = 200,
  extra?: Readonly<Record<string, string>>,
): Response {
  return jsonTextResponse(JSON.stringify(body), requestId, { status, headers: extra });
}

/** What else is said of an answer. */
export interface JsonTextOptions {
  readonly status?: number | undefined;
  /** These win over the standard ones. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Makes an answer of what is JSON already. No cache may keep it: it tells of an account, or is an
 * error that may be over by the next request (a plain 404 would be kept).
 */
export function jsonTextResponse(
  text: LeanContent,
  requestId: string,
  { status = 200, headers }: JsonTextOptions = {},
): Response {
  return LeanResponse.make(text, {
    status,
    headers: {
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-request-id": requestId,
      ...headers,
    },
  });
}

/** Makes the answer; who serves it is told before its first byte. `extra` headers come after the standard ones. */
export function eventStreamResponse(
  { body, provider, route }: StreamAnswer,
  requestId: string,
  extra?: Readonly<Record<string, string>>,
): Response {
  return LeanResponse.make(body, {
    headers: {
      "content-type": "text/event-stream; charset=utf-8",
      "cache-control": "no-cache",
      "x-accel-buffering": "no",
      "x-request-id": requestId,
      "x-tollgate-provider": provider,
      "x-tollgate-route": route,
      ...extra,
    },
  });
}

/** The same parts; the stay lasts until they are sent. */
export function stayingParts(parts: TextParts, stay: Stay): TextParts {
  stay.send();
  return {
    async next() {
      const part = await parts.next();
      if (part === undefined) stay.sent();
      return part;
    },
    async cancel() {
      stay.sent();
      await parts.cancel();
    },
  };
}

const RETRY_AFTER_MIN_S = 1;
/** SDKs stop obeying longer waits. */
const RETRY_AFTER_MAX_S = 60;

/** The public face of an error: anything that is not a {@linkcode GatewayError} says nothing of itself. */
export function toGatewayError(error: unknown, requestId: string): GatewayError {
  if (error instanceof GatewayError) return error;
  return new GatewayError(
    "internal_error",
    `The gateway failed to handle this request: its operator finds the cause in the log under ${requestId}`,
    { cause: error },
  );
}

/** The answer for an error, as callers of that family know it. */
export function errorResponse(
  error: GatewayError,
  requestId: string,
  family: Family,
): Response {
  const { row, verbatim } = error;
  const status = family.statusOf?.(row.status) ?? row.status;
  const headers: Record<string, string> = {};
  if (row.retryAfter === true) {
    headers["retry-after"] = String(wholeSeconds(error.retryAfterSeconds));
  }
  if (row.neverRetry === true) headers["x-should-retry"] = "false";
  if (error.allow !== undefined) headers["allow"] = error.allow;
  if (error.contentRange !== undefined) headers["content-range"] = error.contentRange;
  if (verbatim?.family === family.name) {
    return jsonTextResponse(verbatim.text, requestId, { status, headers });
  }
  return jsonResponse(family.errorBody(error, requestId), requestId, status, headers);
}

function wholeSeconds(seconds: number | undefined): number {
  const whole = Math.ceil(seconds ?? RETRY_AFTER_MIN_S);
  return Math.min(RETRY_AFTER_MAX_S, Math.max(RETRY_AFTER_MIN_S, whole));
}
