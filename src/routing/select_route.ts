/**
 * The routing decision: which routes may serve a request, in which order, and
 * why each other route may not.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import type { RouteRefusal } from "../errors.ts";
import { areAllReady } from "./all_ready.ts";
import { refuseByCapacity, refuseRoute, reservedTokens } from "./constraints.ts";
import { orderCandidates } from "./preferences.ts";
import { bringInOrder } from "./provider_wishes.ts";
import type { Candidate, RouteQuestion, Selection } from "./route_request.ts";

const NONE: readonly RouteRefusal[] = Object.freeze([]);

/**
 * Decides from its arguments alone, changing nothing. Every route of the model is
 * either a candidate or rejected with a reason, never both. An exact `route`
 * leaves at most that one candidate, so there is nothing to fall back to. Where
 * health alone leaves none, the route that was longest not looked at is one.
 */
export function selectRoute(question: RouteQuestion): Selection {
  const candidates: Candidate[] = [];
  let rejected: RouteRefusal[] | undefined;
  const refuse = lookAtEach(question);
  for (const route of question.model.routes) {
    const refusal = refuse?.(route, question);
    if (refusal === undefined) {
      candidates.push({ route, official: question.isOfficial(route.providerId) });
    } else {
      (rejected ??= []).push(refusal);
    }
  }
  if (candidates.length > 0) {
    orderCandidates(candidates, question);
    const { providers } = question.wishes;
    if (providers?.order !== undefined) bringInOrder(candidates, providers.order);
    if (question.sticky !== undefined) bringFirst(candidates, question.sticky);
    if (providers?.noFallbacks === true && providers.order === undefined) {
      for (const { route } of candidates.splice(1)) (rejected ??= []).push(fallback(route));
    }
  } else if (rejected !== undefined) {
    const last = lastResort(question, rejected);
    if (last !== undefined) {
      candidates.push(last);
      rejected = rejected.filter(({ route }) => route !== last.route.id);
    }
  }
  return { candidates, rejected: rejected ?? NONE };
}

/** What has to be asked of each route; `undefined` where all may serve. */
function lookAtEach(question: RouteQuestion): typeof refuseRoute | undefined {
  if (!areAllReady(question)) return refuseRoute;
  const { model: { routes }, facts, capacity, now } = question;
  const hasRoom = capacity.hasRoomOnAll?.(routes, reservedTokens(facts), now) === true;
  return hasRoom ? undefined : refuseByCapacity;
}

function fallback({ id, providerId }: Route): RouteRefusal {
  return { route: id, provider: providerId, reason: "fallback_not_allowed" };
}

/** What a conversation is kept on; the others stay behind it, should it fail. */
function bringFirst(candidates: Candidate[], routeId: string): void {
  const at = candidates.findIndex(({ route }) => route.id === routeId);
  if (at < 0) return;
  const [sticky] = candidates.splice(at, 1);
  candidates.unshift({ ...sticky!, isSticky: true });
}

/** A route that nothing but its health keeps out, and that a call may probe now. */
function lastResort(
  question: RouteQuestion,
  rejected: readonly RouteRefusal[],
): Candidate | undefined {
  const { model, health, now, projectId } = question;
  let found: Route | undefined;
  let foundFrom = Infinity;
  for (const { route: routeId, reason } of rejected) {
    if (reason !== "cooling_down" && reason !== "circuit_open") continue;
    const from = health.lastResortFrom(routeId, projectId);
    if (from > now || from >= foundFrom) continue;
    const route = model.routes.find(({ id }) => id === routeId);
    if (route === undefined || refuseByCapacity(route, question) !== undefined) continue;
    found = route;
    foundFrom = from;
  }
  if (found === undefined) return undefined;
  const official = question.isOfficial(found.providerId);
  return { route: found, official, isLastResort: true };
}
