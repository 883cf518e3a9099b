/**
 * What a caller asks of providers together: lists of them, prices, what has to be kept of a request.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import { formatPrice, parseAmount } from "../domain/money.ts";
import type { ProviderWishes } from "../domain/request_facts.ts";
import type { Unit } from "../domain/units.ts";
import { unitOf } from "../domain/units.ts";
import type { RouteReason } from "../errors.ts";
import type { Candidate, RouteQuestion } from "./route_request.ts";

/** Why a route is not what was asked for. */
export interface Unwanted {
  readonly reason: RouteReason;
  readonly detail?: string;
}

/** Whether providers or routes are named, which not every model lets its callers do. */
export function namesSources({ order, only, ignore }: ProviderWishes): boolean {
  return order !== undefined || only !== undefined || ignore !== undefined;
}

/** Why a route is out, by the lists. */
export function refuseByLists(
  route: Route,
  { order, only, ignore, noFallbacks }: ProviderWishes,
): Unwanted | undefined {
  if (only !== undefined && placeIn(only, route) < 0) {
    return { reason: "provider_not_requested", detail: "not in 'provider.only'" };
  }
  if (ignore !== undefined && placeIn(ignore, route) >= 0) {
    return { reason: "provider_not_requested", detail: "in 'provider.ignore'" };
  }
  if (noFallbacks === true && order !== undefined && placeIn(order, route) < 0) {
    return { reason: "fallback_not_allowed", detail: "not in 'provider.order'" };
  }
  return undefined;
}

/** Why a route is out, by what it sells for and what becomes of the request's fields there. */
export function refuseByTerms(
  route: Route,
  wishes: ProviderWishes,
  { facts, rateE8 }: RouteQuestion,
): Unwanted | undefined {
  const { maxPrices, parameters } = wishes;
  for (const name in maxPrices) {
    const unit = name as keyof typeof maxPrices;
    const most = parseAmount(maxPrices[unit]!);
    const rate = rateE8?.(route, unit) ?? 0n;
    if (rate <= most) continue;
    const per = unitOf(unit as Unit).per === "million" ? " per million" : "";
    return {
      reason: "price_above_max",
      detail: `${unit} ${formatPrice(rate)}${per}, at most ${formatPrice(most)} asked`,
    };
  }
  if (parameters === undefined) return undefined;
  const { body: { set, drop }, supports } = route;
  const lost = parameters.find((field) => drop.includes(field) || Object.hasOwn(set, field));
  if (lost !== undefined) return { reason: "parameter_not_kept", detail: `'${lost}'` };
  const unsaid = facts.tools && supports.tools !== true
    ? "tools"
    : facts.vision && supports.vision !== true
    ? "images"
    : facts.jsonSchema && supports.jsonSchema !== true
    ? "a JSON Schema"
    : undefined;
  if (unsaid === undefined) return undefined;
  return { reason: "parameter_not_kept", detail: `not said to support ${unsaid}` };
}

/** Brings what a caller would have first to the front; the others stay in their order. */
export function bringInOrder(candidates: Candidate[], order: readonly string[]): void {
  const placeOf = ({ route }: Candidate) => {
    const place = placeIn(order, route);
    return place < 0 ? order.length : place;
  };
  candidates.sort((left, right) => placeOf(left) - placeOf(right));
}

/** Where a list names a route, or its provider; -1 for nowhere. */
export function placeIn(names: readonly string[], { id, providerId }: Route): number {
  const own = id.toLowerCase();
  const provider = providerId.toLowerCase();
  return names.findIndex((name) => name === own || name === provider);
}
