/**
 * Tries candidates in order until one answers. The only place that retries,
 * backs off, samples health and decides what "before the first byte" means:
 * until `invoke` resolves, nothing has reached the caller.
 *
 * @module
 */

import type { CallLedger } from "../accounts/call_ledger.ts";
import type { Capability } from "../domain/capabilities.ts";
import {
  type FailedAttempt as FailedAttemptRow,
  MOST_FAILED_ATTEMPTS,
  MOST_FAILURE_CHARACTERS,
} from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Clock, Random } from "../domain/clock.ts";
import { hideQuotes } from "../domain/hide_quotes.ts";
import type { AmountE8 } from "../domain/money.ts";
import { GatewayError, type RouteRefusal } from "../errors.ts";
import type { Permit } from "../limits/permit.ts";
import type { RouteCapacity } from "../limits/route_capacity.ts";
import { type AttemptFailure, UpstreamError } from "../domain/upstream_error.ts";
import type { BegunCall, Provider, ProviderCall } from "../providers/contract/provider.ts";
import type { Registry } from "../providers/registry.ts";
import { reservedTokens } from "../routing/constraints.ts";
import type { Health } from "../routing/health.ts";
import type { Candidate, RouteQuestion, Selection } from "../routing/route_request.ts";
import { blameCaller, describeFailure, leftOut, rejected } from "./failed_attempt.ts";
import type { MeteredCall } from "./metered_call.ts";
import { refused } from "../planning/refusals.ts";
import type { RetryBudget } from "./retry_budget.ts";

/** Second and third tries of a call, where no other route is left. */
const MAX_RETRIES = 2;
const BACKOFF_FIRST_MS = 100;
const BACKOFF_MOST_MS = 2_000;

/** What the loop needs. */
export interface AttemptLoopDeps {
  readonly registry: Pick<Registry, "provider">;
  readonly health: Health;
  readonly capacity: RouteCapacity;
  readonly retryBudget: RetryBudget;
  readonly clock: Clock;
  readonly random: Random;
  /** Told of every failed attempt, for the operator: the error may name upstream internals. */
  readonly onAttemptFailed: (attempt: FailedAttempt) => void;
  /** Waits; resolves early when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly ledger: CallLedger;
}

/** An attempt that failed, as the operator's log tells it. */
export interface FailedAttempt {
  readonly requestId: string;
  readonly route: Route;
  readonly capability: Capability;
  readonly error: UpstreamError;
  /** The error's, without what the upstream quotes of the request. */
  readonly message: string;
}

/** One way to ask a provider, and what a route would cost at worst. */
export interface AttemptPlan<Answer> {
  readonly call: MeteredCall;
  readonly question: RouteQuestion;
  readonly selection: Selection;
  readonly worstCaseE8: (route: Route) => AmountE8;
  readonly quoteE8: (route: Route) => AmountE8;
  readonly providerCall: (route: Route) => ProviderCall;
  readonly invoke: (
    provider: Provider,
    providerCall: ProviderCall,
    signal: AbortSignal,
  ) => Promise<Answer>;
  /** The first attempt, where it was made already and is only to be awaited; absent: none was. */
  readonly begun?: BegunAttempt | undefined;
}

/** An attempt that goes on by callbacks. */
export interface BegunAttempt {
  readonly candidate: Candidate;
  /** Who was asked, whoever has its name by now. */
  readonly provider: Provider | undefined;
  /** Monotonic milliseconds. */
  readonly startedAt: number;
  /** What was asked already; absent: nothing but the way is free. */
  readonly call?: BegunCall | undefined;
}

/** An answer that has begun to arrive. */
export interface Served<Answer> {
  readonly answer: Answer;
  /**
   * Reports how the answer went on once its first byte was in, which is its
   * route's health sample. To be called exactly once.
   *
   * @param outputTokens What a stream wrote, where its upstream has counted and the time that it took
   * was the upstream's.
   */
  ended(how: "success" | AttemptFailure, outputTokens?: number): void;
}

/**
 * Runs the attempts.
 *
 * @throws {UpstreamError} of failure `aborted`, when the caller is gone.
 * @throws {GatewayError} When no candidate answers, or the request itself is wrong.
 */
export async function runAttempts<Answer>(
  deps: AttemptLoopDeps,
  plan: AttemptPlan<Answer>,
): Promise<Served<Answer>> {
  const { begun } = plan;
  if (begun === undefined) deps.retryBudget.earn();
  const failures = new Map<string, RouteRefusal>();
  let round = plan.selection.candidates;
  for (let retry = 0; round.length > 0; retry++) {
    const again: Candidate[] = [];
    for (const candidate of round) {
      const isBegun = retry === 0 && candidate === begun?.candidate;
      const entering = isBegun ? undefined : enterShared(deps, plan, candidate);
      const refusal = entering instanceof Promise ? await entering : entering;
      if (refusal !== undefined) {
        failures.set(candidate.route.id, refusal);
        continue;
      }
      const startedAt = isBegun ? begun.startedAt : deps.clock.monotonic();
      const { route } = candidate;
      const provider = isBegun ? begun.provider : deps.registry.provider(route.providerId);
      const asked = isBegun ? begun.call : undefined;
      const attempt = await tryRoute(deps, plan, { route, provider, startedAt, begun: asked });
      if (attempt.ok) return attempt.served;
      failures.set(candidate.route.id, describeFailure(candidate.route, attempt.error));
      // A probe is one look: the next is somebody else's, about a second later.
      if (candidate.isLastResort !== true && isWorthRetrying(attempt.error)) again.push(candidate);
    }
    if (retry >= MAX_RETRIES || again.length === 0 || !deps.retryBudget.take()) break;
    round = again;
    await deps.delay(backoffMs(retry, deps.random), plan.call.upstreamSignal);
  }
  throw exhausted(deps, plan, failures);
}

type Attempt<Answer> =
  | { readonly ok: true; readonly served: Served<Answer> }
  | { readonly ok: false; readonly error: UpstreamError };

/**
 * Takes what an attempt needs (capacity, the breaker's leave, the hold), or says why not.
 *
 * @param entered Capacity that was taken already.
 */
export function enterRoute(
  deps: AttemptLoopDeps,
  plan: Pick<AttemptPlan<unknown>, "call" | "worstCaseE8" | "quoteE8">,
  { route, isLastResort }: Candidate,
  entered?: Permit,
): RouteRefusal | undefined {
  const { call } = plan;
  const { facts } = call;
  const projectId = call.request.caller.project.id;
  const permit = entered ?? deps.capacity.enter(route, reservedTokens(facts));
  if (permit === undefined) return leftOut(route, "at_capacity");
  const mayBegin = isLastResort === true
    ? deps.health.beginLastResort(route.id, projectId)
    : deps.health.beginAttempt(route.id, projectId);
  if (!mayBegin) {
    permit.withdraw();
    return leftOut(route, deps.health.coolingReason(route.id, projectId));
  }
  if (!moveHold(deps, plan, route)) {
    const startedAt = deps.clock.monotonic();
    deps.health.record(route.id, { startedAt, projectId, outcome: "aborted" });
    permit.withdraw();
    return leftOut(route, "balance_too_low");
  }
  call.startAttempt(route, permit);
  return undefined;
}

/** The same, once more where other nodes may have left of the route's limits or of the balance. */
function enterShared(
  deps: AttemptLoopDeps,
  plan: AttemptPlan<unknown>,
  candidate: Candidate,
): RouteRefusal | undefined | Promise<RouteRefusal | undefined> {
  const refusal = enterRoute(deps, plan, candidate);
  if (refusal === undefined) return undefined;
  const isShort = refusal.reason === "at_capacity"
    ? deps.capacity.isShared
    : refusal.reason === "balance_too_low" && deps.ledger.lease !== undefined;
  return isShort ? enterLater(deps, plan, candidate, refusal) : refusal;
}

async function enterLater(
  deps: AttemptLoopDeps,
  plan: AttemptPlan<unknown>,
  candidate: Candidate,
  refusal: RouteRefusal,
): Promise<RouteRefusal | undefined> {
  let left: RouteRefusal | undefined = refusal;
  const { route } = candidate;
  if (left.reason === "at_capacity") {
    const permit = await deps.capacity.whenRoom(route, reservedTokens(plan.call.facts));
    if (permit !== undefined) left = enterRoute(deps, plan, candidate, permit);
  }
  const { lease } = deps.ledger;
  if (left?.reason !== "balance_too_low" || lease === undefined) return left;
  const { call } = plan.call.hold;
  const moreE8 = plan.worstCaseE8(route) - call.heldE8;
  return await lease(call.projectId, moreE8) ? enterRoute(deps, plan, candidate) : left;
}

/**
 * Moves the call's hold to a route, raising it where that one is dearer; `false`
 * when the balance does not cover it. The first route has its hold already.
 */
function moveHold(
  { ledger }: AttemptLoopDeps,
  { call: { hold }, worstCaseE8, quoteE8 }: Parameters<typeof enterRoute>[1],
  route: Route,
): boolean {
  const { call } = hold;
  if (call.route === route.id) return true;
  const worstE8 = worstCaseE8(route);
  return ledger.rehold(hold, {
    model: route.modelId,
    provider: route.providerId,
    route: route.id,
    priceVersion: route.prices.version,
    heldE8: worstE8 > call.heldE8 ? worstE8 : call.heldE8,
    ...(call.reservedE8 !== undefined && { reservedE8: quoteE8(route) }),
  });
}

async function tryRoute<Answer>(
  deps: AttemptLoopDeps,
  plan: AttemptPlan<Answer>,
  { route, provider, startedAt, begun }: {
    readonly route: Route;
    readonly provider: Provider | undefined;
    readonly startedAt: number;
    readonly begun: BegunCall | undefined;
  },
): Promise<Attempt<Answer>> {
  const { upstreamSignal: signal } = plan.call;
  const projectId = plan.call.request.caller.project.id;
  try {
    if (provider === undefined) {
      throw new UpstreamError("operator", `Provider '${route.providerId}' is not configured`);
    }
    const asked = plan.providerCall(route);
    const providerCall = begun === undefined ? asked : { ...asked, begun };
    const answer = await plan.invoke(provider, providerCall, signal);
    const ended = noteAnswer(deps, plan.call, { route, startedAt });
    return { ok: true, served: { answer, ended } };
  } catch (error) {
    const failure = blameCaller(route, asUpstreamError(error, signal));
    const { identity, body, stay } = plan.call.request;
    plan.call.endAttempt(failure);
    stay.forgetAnswer();
    deps.health.record(route.id, {
      startedAt,
      outcome: failure.failure,
      projectId,
      status: failure.status,
      fault: failure.fault,
      retryAfterSeconds: failure.retryAfterSeconds,
      isSpent: failure.isSpent,
    });
    if (failure.failure === "aborted") throw failure;
    const message = hideQuotes(failure.message, body);
    keepFailed(plan.call, {
      route: route.id,
      failure: failure.failure,
      ...(failure.status !== undefined && { status: failure.status }),
      ms: Math.round(deps.clock.monotonic() - startedAt),
      message: message.slice(0, MOST_FAILURE_CHARACTERS).toWellFormed(),
    });
    const { requestId } = identity;
    const { capability } = plan.call.facts;
    deps.onAttemptFailed({ requestId, route, capability, error: failure, message });
    if (failure.failure === "caller") throw rejected(failure);
    // The gateway's own want: another upstream's answer would not fit either, and is paid for.
    if (failure.cause instanceof GatewayError) throw failure.cause;
    return { ok: false, error: failure };
  }
}

/** Notes that an attempt has its answer, or the beginning of a stream; gives what tells how it went on. */
export function noteAnswer(
  { clock, health }: Pick<AttemptLoopDeps, "clock" | "health">,
  call: MeteredCall,
  { route, startedAt }: { readonly route: Route; readonly startedAt: number },
): Served<unknown>["ended"] {
  const { stream: isStream } = call.facts;
  const projectId = call.request.caller.project.id;
  const milliseconds = clock.monotonic() - startedAt;
  call.noteFirstByte();
  if (isStream) health.answered(route.id, { startedAt, projectId });
  const times = isStream ? { firstByteMs: milliseconds } : { totalMs: milliseconds };
  return endOf(health, route.id, { startedAt, projectId, times });
}

/** Apart, so that an answer under way keeps nothing alive of the plan that led to it. */
function endOf(
  health: Health,
  routeId: string,
  { startedAt, projectId, times }: {
    readonly startedAt: number;
    readonly projectId: string;
    readonly times: { readonly firstByteMs?: number; readonly totalMs?: number };
  },
): Served<unknown>["ended"] {
  return (outcome, outputTokens) =>
    health.record(
      routeId,
      outcome === "success"
        ? { startedAt, projectId, outcome, ...times, outputTokens }
        : { startedAt, projectId, outcome },
    );
}

/** For whoever looks the call up. */
function keepFailed(call: MeteredCall, attempt: FailedAttemptRow): void {
  const { failedAttempts = [] } = call;
  if (failedAttempts.length < MOST_FAILED_ATTEMPTS) {
    call.failedAttempts = [...failedAttempts, attempt];
  }
}

/** Whether the same route may do better a moment later. */
function isWorthRetrying({ failure }: UpstreamError): boolean {
  return failure === "broken" || failure === "starved";
}

/** A bug in a provider counts as its breakage, unless our own abort, or a want of our own, caused it. */
function asUpstreamError(error: unknown, signal: AbortSignal): UpstreamError {
  if (signal.aborted) {
    const isUnsent = error instanceof UpstreamError && error.isUnsent;
    return new UpstreamError("aborted", "The caller is gone", { cause: error, isUnsent });
  }
  if (error instanceof UpstreamError) return error;
  if (error instanceof GatewayError) {
    return new UpstreamError("starved", error.message, { cause: error });
  }
  return new UpstreamError("broken", "The provider failed unexpectedly", { cause: error });
}

/** No candidate answered: the refusal that fits what happened to each route. */
function exhausted<Answer>(
  deps: AttemptLoopDeps,
  { question, selection }: AttemptPlan<Answer>,
  failures: ReadonlyMap<string, RouteRefusal>,
): GatewayError {
  return refused(
    { ...question, now: deps.clock.monotonic() },
    { candidates: [], rejected: [...failures.values(), ...selection.rejected] },
  );
}

/** Full jitter: a random time up to 100 ms, then 200 ms … at most 2 s. */
function backoffMs(retry: number, random: Random): number {
  return random() * Math.min(BACKOFF_MOST_MS, BACKOFF_FIRST_MS * 2 ** retry);
}
