/**
 * Admission of a request by the limits of its project and key.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import { GatewayError } from "../errors.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { Permit } from "../limits/permit.ts";

const LIMIT_WORDS = {
  requests_per_minute: "requests per minute",
  tokens_per_minute: "tokens per minute",
  concurrent: "requests at the same time",
} as const;

/**
 * Takes the caller's share of its limits.
 *
 * @param request `tokens` is what the request reserves until its usage is known.
 * @throws {GatewayError} `pool_limit_exceeded`, or `request_over_limit` where the request
 * would never be admitted.
 */
export function takePermit(
  limiter: Limiter,
  { caller, tokens }: { readonly caller: Caller; readonly tokens: number },
): Permit {
  const admitted = limiter.admit([
    { scope: "project", id: caller.project.id, limits: caller.project.limits },
    { scope: "key", id: caller.key.id, limits: caller.key.limits },
  ], tokens);
  if (admitted.kind === "permit") return admitted.permit;
  const { scope, limit, max, retryAfterSeconds } = admitted;
  if (limit === "tokens_per_minute" && tokens > max) {
    throw new GatewayError(
      "request_over_limit",
      `This request alone may take ${tokens} tokens, and this ${scope}'s limit is ${max} tokens ` +
        "per minute: send a shorter prompt, or ask for fewer tokens with a maximum of output",
      { retryAfterSeconds },
    );
  }
  throw new GatewayError(
    "pool_limit_exceeded",
    `This ${scope}'s limit of ${max} ${
      LIMIT_WORDS[limit]
    } is reached: try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds },
  );
}
