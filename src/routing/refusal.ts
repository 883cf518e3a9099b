/**
 * Turns a selection without candidates into the error its caller gets.
 *
 * @module
 */

import { type Capability, capabilityOf } from "../domain/capabilities.ts";
import { faultWords } from "../domain/upstream_error.ts";
import type { ConstraintReason, ErrorName, RouteReason, RouteRefusal } from "../errors.ts";
import { badVideoValue } from "./video_misfit.ts";
import { CONSTRAINT_ADVICE, isConstraint } from "./constraint_advice.ts";
import { isSourceNamed, reservedTokens, wholeSeconds } from "./constraints.ts";
import type { RouteQuestion, Selection } from "./route_request.ts";

/** What a `GatewayError` is made from. */
export interface RoutingRefusal {
  readonly error: ErrorName;
  /** Says what was wrong and what the caller can do next. */
  readonly message: string;
  /** The field that decided; `undefined` where no field did. */
  readonly param: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Why each route is out; for `error.routes`. */
  readonly routes: readonly RouteRefusal[];
}

/** Retry-After while every route is switched off: nobody knows how long that takes. */
const SWITCHED_OFF_RETRY_SECONDS = 30;

/** Retry-After while attempts failed without the upstream saying when to come back. */
const FAILED_RETRY_SECONDS = 1;

/**
 * The error for a request that no route is left for.
 *
 * A film of a size, length or with a field that no route of the model offers at
 * all is `invalid_value`: no route's state could change that.
 *
 * Otherwise each route was refused with the first constraint it met, so the
 * reasons fall into these classes, and the best class that any route reached
 * decides:
 *
 * 1. *Passing by itself* (cooling down, circuit open, at capacity, an attempt
 *    that failed or was refused). All at capacity: `pool_limit_exceeded`. None at capacity:
 *    `provider_unavailable`. Of both, the route that comes back first decides,
 *    since Retry-After is about that one; a tie counts as `provider_unavailable`.
 * 2. *Balance too low* for every route that is left: `insufficient_balance`.
 * 3. *Switched off* (disabled, in maintenance): `no_route_now`.
 * 4. *Constraints only*: `route_not_selectable` when `provider` or `route` was
 *    named, else `no_such_route`. The message and param speak of the constraint
 *    that the furthest route met, as that is the nearest to being lifted.
 */
export function refusalFor(question: RouteQuestion, selection: Selection): RoutingRefusal {
  const routes = selection.rejected;
  const bad = badVideoValue(question.model, question.facts);
  if (bad !== undefined) {
    return { error: "invalid_value", ...bad, retryAfterSeconds: undefined, routes };
  }
  const passing = soonestOf(question, routes);
  if (passing !== undefined) return { ...passing, param: undefined, routes };
  const { model } = question;
  const tooDear = routes.filter(({ reason }) => reason === "balance_too_low");
  if (tooDear.length > 0) {
    const { detail } = tooDear.find(({ detail }) => detail !== undefined) ?? {};
    const { saving } = capabilityOf(question.facts.capability);
    const amounts = detail === undefined ? "" : ` (it ${detail})`;
    return {
      error: "insufficient_balance",
      message: `The project's balance covers this request on no route of model '${model.id}' ` +
        `that fits it${amounts}: ask the operator for credit, or ${saving}`,
      param: undefined,
      retryAfterSeconds: undefined,
      routes,
    };
  }
  if (routes.some(({ reason }) => reason === "disabled" || reason === "maintenance")) {
    return {
      error: "no_route_now",
      message: `Every route of model '${model.id}' that fits this request is disabled or in ` +
        `maintenance: try again later, or choose another model`,
      param: undefined,
      retryAfterSeconds: SWITCHED_OFF_RETRY_SECONDS,
      routes,
    };
  }
  const { wishes } = question;
  if (isSourceNamed(wishes)) {
    return { ...refuseNamed(question, routes), retryAfterSeconds: undefined, routes };
  }
  return { ...refuseByConstraint(question, routes), retryAfterSeconds: undefined, routes };
}

type Soonest = Pick<RoutingRefusal, "error" | "message" | "retryAfterSeconds">;

/** The refusal that passes first by itself, or `undefined` when none does. */
function soonestOf(
  question: RouteQuestion,
  routes: readonly RouteRefusal[],
): Soonest | undefined {
  let full = Infinity;
  let down = Infinity;
  for (const refused of routes) {
    if (refused.reason === "at_capacity") {
      full = Math.min(full, secondsLeft(question, refused));
    } else if (isDown(refused.reason)) {
      down = Math.min(down, secondsLeft(question, refused));
    }
  }
  if (full === Infinity && down === Infinity) return undefined;
  const retryAfterSeconds = wholeSeconds(Math.min(full, down));
  const model = question.model.id;
  if (full < down) {
    return {
      error: "pool_limit_exceeded",
      message: `Every route of model '${model}' that fits this request is at its own limit: ` +
        `retry in ${retryAfterSeconds} s`,
      retryAfterSeconds,
    };
  }
  return {
    error: "provider_unavailable",
    message: downMessage(
      question,
      routes.filter(({ reason }) => isDown(reason)),
      retryAfterSeconds,
    ),
    retryAfterSeconds,
  };
}

/** Says what waiting does not mend, where the upstreams have said so. */
function downMessage(
  { model, health }: RouteQuestion,
  routes: readonly RouteRefusal[],
  seconds: number,
): string {
  const faults = routes.map(({ route }) => health.coolingFault(route));
  if (faults.every((fault) => fault !== undefined)) {
    const words = [...new Set(faults.map(faultWords))].join("; ");
    // Whoever waits waits for the operator.
    return `No route of model '${model.id}' serves this request now: ${words}. Choose another ` +
      "model or tell the operator";
  }
  const [first] = routes;
  if (first !== undefined && routes.every(({ reason }) => reason === "attempt_refused")) {
    return `The upstream of model '${model.id}' refuses this request (${first.detail}): change ` +
      "the request, choose another model or tell the operator";
  }
  return `No upstream of model '${model.id}' that fits this request answers now: ` +
    `retry in ${seconds} s`;
}

function isDown(reason: RouteReason): boolean {
  return reason === "cooling_down" || reason === "circuit_open" || reason === "attempt_failed" ||
    reason === "attempt_refused";
}

function secondsLeft(question: RouteQuestion, refused: RouteRefusal): number {
  if (refused.reason !== "at_capacity") {
    const coolingMs = backAt(question, refused) - question.now;
    return coolingMs > 0 ? coolingMs / 1000 : FAILED_RETRY_SECONDS;
  }
  const route = question.model.routes.find(({ id }) => id === refused.route);
  if (route === undefined) return FAILED_RETRY_SECONDS;
  return question.capacity.secondsUntilRoom(route, reservedTokens(question.facts));
}

/** An upstream that is away serves again with the first probe after its return. */
function backAt({ health, projectId }: RouteQuestion, { route }: RouteRefusal): number {
  return health.coolingFault(route) === undefined
    ? health.lastResortFrom(route, projectId)
    : health.coolingUntil(route, projectId);
}

type Explained = Pick<RoutingRefusal, "error" | "message" | "param">;

/** `provider` or `route` was named, and nothing that was named can ever serve this request. */
function refuseNamed(question: RouteQuestion, routes: readonly RouteRefusal[]): Explained {
  const { model, wishes } = question;
  const error = "route_not_selectable";
  const field = wishes.route === undefined ? "provider" : "route";
  if (!model.manualSelection) {
    const message = `Model '${model.id}' does not let callers choose a source: ` +
      `leave out 'provider' and 'route'`;
    return { error, message, param: field };
  }
  const named = model.routes.find(({ id }) => id === wishes.route);
  if (wishes.route !== undefined && named === undefined) {
    const known = listed(model.routes.map(({ id }) => id));
    const message = `Model '${model.id}' has no route '${wishes.route}': ${known}`;
    return { error, message, param: "route" };
  }
  const { provider } = wishes;
  if (named === undefined && provider === undefined) {
    const furthest = furthestConstraint(routes);
    const message = `'provider' leaves no route of model '${model.id}' that can serve this ` +
      `request: ${reasonAndAdvice(furthest)}`;
    return { error, message, param: field };
  }
  if (provider !== undefined && !model.routes.some(({ providerId }) => providerId === provider)) {
    const known = listed([...new Set(model.routes.map(({ providerId }) => providerId))]);
    const message = `Model '${model.id}' has no route of provider '${provider}': ${known}`;
    return { error, message, param: "provider" };
  }
  if (named !== undefined && provider !== undefined && named.providerId !== provider) {
    const message = `Route '${named.id}' is not of provider '${provider}' but of ` +
      `'${named.providerId}': name one of the two, or a pair that belongs together`;
    return { error, message, param: "route" };
  }
  const furthest = furthestConstraint(routes);
  const subject = named === undefined
    ? `No route of provider '${provider}' can serve this request`
    : `Route '${named.id}' cannot serve this request`;
  return { error, message: `${subject}: ${reasonAndAdvice(furthest)}`, param: field };
}

function refuseByConstraint(
  question: RouteQuestion,
  routes: readonly RouteRefusal[],
): Explained {
  const { model, facts } = question;
  const furthest = furthestConstraint(routes);
  if (furthest === undefined) {
    return {
      error: "no_such_route",
      message: `Model '${model.id}' has no routes: choose another model`,
      param: "model",
    };
  }
  return {
    error: "no_such_route",
    message: `No route of model '${model.id}' can serve this request: ${reasonAndAdvice(furthest)}`,
    param: paramOf(furthest.reason, facts.capability),
  };
}

type ConstraintRefusal = RouteRefusal & { readonly reason: ConstraintReason };

/** The refusal latest in the order of constraints; the first such route of several. */
function furthestConstraint(routes: readonly RouteRefusal[]): ConstraintRefusal | undefined {
  let furthest: ConstraintRefusal | undefined;
  for (const refused of routes) {
    if (!isConstraint(refused)) continue;
    if (furthest === undefined || rank(refused.reason) > rank(furthest.reason)) furthest = refused;
  }
  return furthest;
}

const RANKS = new Map(Object.keys(CONSTRAINT_ADVICE).map((reason, index) => [reason, index]));

function rank(reason: ConstraintReason): number {
  return RANKS.get(reason) ?? -1;
}

function reasonAndAdvice(refused: ConstraintRefusal | undefined): string {
  if (refused === undefined) return "choose another source";
  const { says, advice } = CONSTRAINT_ADVICE[refused.reason];
  const detail = refused.detail === undefined ? "" : ` (${refused.detail})`;
  return `${says}${detail}; ${advice}`;
}

function paramOf(reason: ConstraintReason, capability: Capability): string | undefined {
  const { param } = CONSTRAINT_ADVICE[reason];
  return typeof param === "function" ? param(capability) : param;
}

function listed(names: readonly string[]): string {
  if (names.length === 0) return "it has none";
  const few = names.slice(0, 5).map((name) => `'${name}'`).join(", ");
  return names.length > 5 ? `choose one of ${few} and ${names.length - 5} more` : `choose ${few}`;
}
