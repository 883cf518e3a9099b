/**
 * Admission of a request by the limits of its project and key: its place before its
 * body is read, its share per minute once it is known what it asks for.
 *
 * @module
 */

import type { Caller } from "../accounts/key_directory.ts";
import { GatewayError } from "../errors.ts";
import type { Admission, Limiter, LimitRefusal, LimitSubject } from "../limits/limiter.ts";
import type { Permit } from "../limits/permit.ts";

const LIMIT_WORDS = {
  requests_per_minute: "requests per minute",
  tokens_per_minute: "tokens per minute",
  concurrent: "requests at the same time",
} as const;

/**
 * Takes the caller's place among its requests at the same time.
 *
 * @throws {GatewayError} `pool_limit_exceeded`
 */
export function takePlace(limiter: Pick<Limiter, "enter">, caller: Caller): Permit {
  const admitted = limiter.enter(subjectsOf(caller));
  if (admitted.kind === "permit") return admitted.permit;
  throw limitReached(admitted);
}

/** As {@linkcode takePlace}, for who can wait a moment where several nodes share a limit. */
export function placeWhenRoom(
  limiter: Pick<Limiter, "enterWhenRoom">,
  caller: Caller,
): Permit | Promise<Permit> {
  const permitOf = (admitted: Admission) => {
    if (admitted.kind === "permit") return admitted.permit;
    throw limitReached(admitted);
  };
  const admitted = limiter.enterWhenRoom(subjectsOf(caller));
  return admitted instanceof Promise ? admitted.then(permitOf) : permitOf(admitted);
}

/** A request that has its place. */
export interface PlacedRequest {
  readonly caller: Caller;
  readonly permit: Permit;
  /** What it reserves until its usage is known. */
  readonly tokens: number;
}

/**
 * Counts an admitted request in its caller's limits per minute.
 *
 * @throws {GatewayError} `pool_limit_exceeded`, or `request_over_limit` where the request
 * would never be admitted.
 */
export function countRequest(
  limiter: Pick<Limiter, "count">,
  { caller, permit, tokens }: PlacedRequest,
): void {
  requireNone(limiter.count(permit, subjectsOf(caller), tokens), tokens);
}

/**
 * As {@linkcode countRequest}, for who can wait a moment where several nodes share a limit; elsewhere
 * there is nothing to await.
 */
export function countWhenRoom(
  limiter: Pick<Limiter, "countWhenRoom">,
  { caller, permit, tokens }: PlacedRequest,
): Promise<void> | undefined {
  const refusal = limiter.countWhenRoom(permit, subjectsOf(caller), tokens);
  if (refusal instanceof Promise) return refusal.then((left) => requireNone(left, tokens));
  requireNone(refusal, tokens);
  return undefined;
}

function requireNone(refusal: LimitRefusal | undefined, tokens: number): void {
  if (refusal === undefined) return;
  const { scope, limit, max, retryAfterSeconds } = refusal;
  if (limit !== "tokens_per_minute" || tokens <= max) throw limitReached(refusal);
  throw new GatewayError(
    "request_over_limit",
    `This request alone may take ${tokens} tokens, and this ${scope}'s limit is ${max} tokens ` +
      "per minute: send a shorter prompt, or ask for fewer tokens with a maximum of output",
    { retryAfterSeconds, why: `${scope}_${limit}` },
  );
}

/**
 * Refuses, before any work, what the limits on requests per minute would refuse after it.
 *
 * @throws {GatewayError} `pool_limit_exceeded`
 */
export function requireRate(limiter: Pick<Limiter, "shortOf">, caller: Caller): void {
  const refusal = limiter.shortOf(subjectsOf(caller), 0);
  if (refusal !== undefined) throw limitReached(refusal);
}

function subjectsOf({ project, key }: Caller): readonly LimitSubject[] {
  return [
    { scope: "project", id: project.id, limits: project.limits },
    { scope: "key", id: key.id, limits: key.limits },
  ];
}

function limitReached({ scope, limit, max, retryAfterSeconds }: LimitRefusal): GatewayError {
  return new GatewayError(
    "pool_limit_exceeded",
    `This ${scope}'s limit of ${max} ${
      LIMIT_WORDS[limit]
    } is reached: try again in ${retryAfterSeconds} s`,
    { retryAfterSeconds, why: `${scope}_${limit}` },
  );
}

/** Of what callers may have at one time and in a minute, what stays for others than batches. */
const LIVE_SHARES = { concurrent: 1 / 2, requests: 1 / 4, tokens: 1 / 4 } as const;

/**
 * Whether a caller's live requests have room beside one more that can wait: what is left of its
 * limits, and of its project's, is more than the part that is theirs.
 */
export function leavesRoom(limiter: Pick<Limiter, "remaining">, caller: Caller): boolean {
  return subjectsOf(caller).every((subject) => {
    const left = limiter.remaining(subject);
    return Object.entries(LIVE_SHARES).every(([name, share]) => {
      const one = left[name as keyof typeof LIVE_SHARES];
      return one === undefined || one.remaining > Math.floor(one.limit * share);
    });
  });
}
