/**
 * What OpenAI's API has alike on all of its paths: where the key is, how an error looks, and the
 * headers that tell what a caller's limits leave.
 *
 * @module
 */

import * as z from "zod";
import type { JsonObject } from "../../domain/json_value.ts";
import type { GatewayError } from "../../errors.ts";
import type { Family } from "../base/dialect.ts";
import { refusedRoutes } from "../base/refused_routes.ts";

/** `error.routes` is there on routing refusals only. */
export const errorBodySchema = z.lazy(() =>
  z.object({
    error: z.object({
      message: z.string(),
      type: z.string(),
      param: z.string().nullable(),
      code: z.string().nullable(),
      routes: refusedRoutes(),
    }),
  })
);

export const OPENAI: Family = {
  name: "openai",
  keyPlaces: [{
    header: "authorization",
    pattern: /^bearer +([\x21-\x7e]+) *$/i,
    shown: "Authorization: Bearer sk-tg-…",
  }],
  errorSchema: errorBodySchema,
  errorBody(error) {
    const { routes } = error;
    return { error: { ...errorObject(error), ...(routes === undefined ? {} : { routes }) } };
  },
  rateLimits: {
    requests: namesOf("requests"),
    tokens: namesOf("tokens"),
    writeReset: formatDuration,
  },
};

/** An error as OpenAI writes it: always these four fields. */
export function errorObject({ message, row, param, code }: GatewayError): JsonObject {
  return { message, type: row.type, param, code };
}

/** A time as OpenAI writes it: `20ms`, `1s`, `59.4s`, `6m0s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds > 0 && milliseconds < 1_000) return `${milliseconds}ms`;
  const minutes = Math.floor(milliseconds / 60_000);
  const seconds = (milliseconds - minutes * 60_000) / 1_000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}

function namesOf(what: "requests" | "tokens") {
  return {
    limit: `x-ratelimit-limit-${what}`,
    remaining: `x-ratelimit-remaining-${what}`,
    reset: `x-ratelimit-reset-${what}`,
  };
}
