/**
 * Turns any error into an answer. The only place that does.
 *
 * @module
 */

import type { Family } from "../../dialects/base/dialect.ts";
import { GatewayError } from "../../errors.ts";
import { jsonResponse } from "./text_response.ts";

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
  const { row } = error;
  const headers: Record<string, string> = {};
  if (row.retryAfter === true) {
    headers["retry-after"] = String(wholeSeconds(error.retryAfterSeconds));
  }
  if (row.neverRetry === true) headers["x-should-retry"] = "false";
  if (error.allow !== undefined) headers["allow"] = error.allow;
  if (error.contentRange !== undefined) headers["content-range"] = error.contentRange;
  return jsonResponse(family.errorBody(error), requestId, row.status, headers);
}

function wholeSeconds(seconds: number | undefined): number {
  const whole = Math.ceil(seconds ?? RETRY_AFTER_MIN_S);
  return Math.min(RETRY_AFTER_MAX_S, Math.max(RETRY_AFTER_MIN_S, whole));
}
