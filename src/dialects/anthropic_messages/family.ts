/**
 * What Anthropic's API has alike on all of its paths: where the key is, how an error looks, and the
 * headers that tell a request's id and what a caller's limits leave.
 *
 * @module
 */

import * as z from "zod";
import type { JsonObject } from "../../domain/json_value.ts";
import type { GatewayError } from "../../errors.ts";
import type { Family } from "../base/dialect.ts";
import { refusedRoutes } from "../base/refused_routes.ts";

/** `details.routes` is there on routing refusals only. */
const errorBodySchema = z.lazy(() =>
  z.object({
    type: z.literal("error"),
    error: z.object({
      type: z.string(),
      message: z.string(),
      details: z.object({
        error_code: z.string().describe("Names the cause"),
        param: z.string().optional(),
        unsupported: z.array(z.string()).optional().describe("Fields that the upstream has not"),
        routes: refusedRoutes(),
      }),
    }),
    request_id: z.string().nullable(),
  })
);

const INVALID = "invalid_request_error";

const TYPES: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [402, "billing_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [529, "overloaded_error"],
]);

/** Where nobody can serve a call for the moment: clients have words of their own for 529. */
const OVERLOADED = 529;

/** What its SDKs go on without, if they are told so by this code. */
export const THREAD_UNSUPPORTED = "thread_unsupported_request";

export const ANTHROPIC: Family = {
  name: "anthropic",
  // Its newer SDKs send the key as bearer, older ones and agents in the other place, or in both.
  keyPlaces: [
    {
      header: "authorization",
      pattern: /^bearer +([\x21-\x7e]+) *$/i,
      shown: "Authorization: Bearer sk-tg-…",
    },
    { header: "x-api-key", pattern: /^ *([\x21-\x7e]+) *$/, shown: "x-api-key: sk-tg-…" },
  ],
  errorSchema: errorBodySchema,
  errorBody: (error, requestId) => ({ ...errorFrame(error), request_id: requestId }),
  statusOf,
  idHeader: "request-id",
  rateLimits: {
    requests: namesOf("requests"),
    tokens: namesOf("tokens"),
    // RFC 3339.
    writeReset: (milliseconds, now) =>
      new Date(Math.ceil((now + milliseconds) / 1_000) * 1_000).toISOString().replace(".000Z", "Z"),
  },
};

/** An error without the request's id, as it stands in a stream. */
export function errorFrame(error: GatewayError): JsonObject {
  const { message, code, param, routes } = error;
  return {
    type: "error",
    error: {
      type: typeOf(error),
      message,
      details: {
        error_code: code,
        ...(param !== null && { param }),
        ...(code === THREAD_UNSUPPORTED && { unsupported: ["thread"] }),
        ...(routes !== undefined && { routes }),
      },
    },
  };
}

function statusOf(status: number): number {
  return status === 503 ? OVERLOADED : status;
}

function typeOf(error: GatewayError): string {
  const status = statusOf(error.row.status);
  return TYPES.get(status) ?? (status < 500 ? INVALID : "api_error");
}

function namesOf(what: "requests" | "tokens") {
  const name = `anthropic-ratelimit-${what}`;
  return { limit: `${name}-limit`, remaining: `${name}-remaining`, reset: `${name}-reset` };
}
