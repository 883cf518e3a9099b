/**
 * The routing decision: which routes may serve a request, in which order, and
 * why each other route may not.
 *
 * @module
 */

import type { RouteRefusal } from "../errors.ts";
import { refuseRoute } from "./constraints.ts";
import { orderCandidates } from "./preferences.ts";
import type { Candidate, RouteQuestion, Selection } from "./route_request.ts";

const NONE: readonly RouteRefusal[] = Object.freeze([]);

/**
 * Decides from its arguments alone, changing nothing. Every route of the model is
 * either a candidate or rejected with a reason, never both. An exact `route`
 * leaves at most that one candidate, so there is nothing to fall back to.
 */
export function selectRoute(question: RouteQuestion): Selection {
  const candidates: Candidate[] = [];
  let rejected: RouteRefusal[] | undefined;
  for (const route of question.model.routes) {
    const refusal = refuseRoute(route, question);
    if (refusal === undefined) {
      candidates.push({ route, official: question.isOfficial(route.providerId) });
    } else {
      (rejected ??= []).push(refusal);
    }
  }
  orderCandidates(candidates, question);
  return { candidates, rejected: rejected ?? NONE };
}
