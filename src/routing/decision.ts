/**
 * The routing decision as it is kept with a call: only where a route was left out, somebody asked for
 * another order, or the first route was not the one that was taken. Of all other calls it is what
 * `routes explain` says, and keeping it would cost every one of them.
 *
 * @module
 */

import { type Decision, type LeftOutRoute, MOST_DECIDED_ROUTES } from "../domain/call.ts";
import type { Route } from "../domain/catalogue.ts";
import { switchWords } from "../domain/switched_off.ts";
import type { RouteRefusal } from "../errors.ts";
import { placeWords } from "./place_words.ts";
import type { RouteQuestion, Selection } from "./route_request.ts";

/** How a call came to its first route; `undefined` where there is nothing to tell. */
export function decisionOf(
  question: RouteQuestion,
  { candidates, rejected }: Selection,
  taken: Route,
): Decision | undefined {
  const { preference } = question.wishes;
  const isOrdered = preference !== undefined && candidates.length > 1;
  if (rejected.length === 0 && !isOrdered && candidates[0]?.route === taken) return undefined;
  return {
    ...(preference !== undefined && { preference }),
    ranked: candidates.slice(0, MOST_DECIDED_ROUTES).map((candidate) => [
      candidate.route.id,
      placeWords(candidate, { candidates, question }),
    ]),
    leftOut: leftOutOf(rejected, question.routeOf),
  };
}

/** The first of the routes that could not serve, with what operators have said of them. */
export function leftOutOf(
  rejected: readonly RouteRefusal[],
  routeOf: RouteQuestion["routeOf"],
): readonly LeftOutRoute[] {
  return rejected.slice(0, MOST_DECIDED_ROUTES).map(({ route: id, reason }) => {
    const route = routeOf?.(id);
    const said = route && switchWords(route, reason);
    return said === undefined ? [id, reason] : [id, reason, said];
  });
}
