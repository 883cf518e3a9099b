/**
 * Why a candidate is tried where it is, in words for `routes explain`.
 *
 * @module
 */

import type { RoutingPreference } from "../domain/request_facts.ts";
import { isFreeOn, isShaky } from "./preferences.ts";
import { placeIn } from "./provider_wishes.ts";
import type { Candidate, RouteQuestion } from "./route_request.ts";

/** What a preference orders by; `official_only` leaves the default order. */
const ORDERED_BY: { readonly [Name in RoutingPreference]?: string } = {
  lowest_price: "by price",
  highest_reliability: "by success rate",
  lowest_latency: "by latency",
  highest_throughput: "by tokens per second",
};

/** The reasons that set a candidate apart from the others, and what orders the equal ones. */
export function placeWords(
  { route, isLastResort, isSticky }: Candidate,
  { candidates, question }: {
    readonly candidates: readonly Candidate[];
    readonly question: RouteQuestion;
  },
): string {
  if (isLastResort) return "the last resort";
  if (isSticky) return "sticky: the conversation's sealed thoughts are from it";
  if (candidates.length === 1) return "the only one";
  const place = placeIn(question.wishes.providers?.order ?? [], route);
  if (place >= 0) return `number ${place + 1} of the order that was asked for`;
  const ordered = ORDERED_BY[question.wishes.preference ?? "official_only"];
  if (ordered !== undefined) return ordered;
  const equals = candidates.filter((other) => other.route.priority === route.priority);
  const differs = (quality: (other: Candidate) => boolean) =>
    equals.some((other) => quality(other) !== quality(equals[0]!));
  const shaky = (other: Candidate) => isShaky(other.route, question);
  const free = (other: Candidate) => isFreeOn(other.route, question);
  const own = equals.find((other) => other.route === route)!;
  return [
    ...(equals.length < candidates.length ? [`priority ${route.priority}`] : []),
    ...(differs(shaky) ? [shaky(own) ? "fails of late" : "healthy"] : []),
    ...(differs(free) ? [free(own) ? "free" : "paid"] : []),
    ...(equals.length > 1 ? ["drawn by weight and price"] : []),
  ].join(", ");
}
