/**
 * `x-ratelimit-*`: what the limits per minute of a caller leave, by the names and in
 * the format of OpenAI, so that clients which pace themselves by them need no change.
 *
 * @module
 */

import type { Caller } from "../../accounts/key_directory.ts";
import type { Family, RateHeaders } from "../../dialects/base/dialect.ts";
import type { Limits } from "../../domain/catalogue.ts";
import type { RemainingRate } from "../../limits/gauge.ts";
import type { Limiter } from "../../limits/limiter.ts";

/** Whether a caller has any limit that these headers tell of. */
export function hasRateLimits({ project, key }: Caller): boolean {
  return isSet(project.limits) || isSet(key.limits);
}

/**
 * The headers for an answer that is sent now. Of the project's and the key's limit
 * that one is told which leaves less; nothing where neither is set.
 */
export function rateLimitHeaders(
  limiter: Pick<Limiter, "remaining">,
  { caller: { project, key }, family: { rateLimits }, now }: {
    readonly caller: Caller;
    readonly family: Family;
    /** Milliseconds since the epoch. */
    readonly now: number;
  },
): Record<string, string> {
  const ofProject = limiter.remaining({ scope: "project", id: project.id, limits: project.limits });
  const ofKey = limiter.remaining({ scope: "key", id: key.id, limits: key.limits });
  const headers: Record<string, string> = {};
  addHeaders(rateLimits.requests, tighter(ofProject.requests, ofKey.requests));
  addHeaders(rateLimits.tokens, tighter(ofProject.tokens, ofKey.tokens));
  return headers;

  function addHeaders(names: RateHeaders, rate: RemainingRate | undefined): void {
    if (rate === undefined) return;
    headers[names.limit] = String(rate.limit);
    headers[names.remaining] = String(rate.remaining);
    headers[names.reset] = rateLimits.writeReset(rate.resetMs, now);
  }
}

function isSet({ requestsPerMinute, tokensPerMinute }: Limits): boolean {
  return requestsPerMinute !== undefined || tokensPerMinute !== undefined;
}

function tighter(
  one: RemainingRate | undefined,
  other: RemainingRate | undefined,
): RemainingRate | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.remaining < one.remaining ? other : one;
}
