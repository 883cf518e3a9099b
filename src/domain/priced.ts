/**
 * Which routes count as priced.
 *
 * @module
 */

import { kindOf, makesVideos, type ModelKind } from "./capabilities.ts";
import type { Route } from "./catalogue.ts";
import { ratesFor } from "./rates_for.ts";
import { type Rates, saleBasis } from "./price.ts";
import { videoTerms } from "./terms.ts";
import type { Unit } from "./units.ts";
import { NO_WORK } from "./work.ts";

/**
 * Whether a route has the prices its model kind needs, of a film for the size, or where
 * none is named for any size on offer. A route sold for free is always priced. A
 * missing price is not a price of 0.
 */
export function isPriced(
  route: Route,
  kind: ModelKind,
  size?: string,
): boolean {
  const { prices, video } = route;
  if (prices.sale?.kind === "free") return true;
  const rates = saleBasis(prices);
  if (rates === undefined) return false;
  const sizes = size === undefined ? video?.sizes : [size];
  // Asked of every route for every call: a loop makes no function anew.
  for (const unit of kindOf(kind).buys) {
    if (rates[unit] === undefined && !isPricedBySize(rates, unit, kind, sizes)) return false;
  }
  return true;
}

function isPricedBySize(
  rates: Rates,
  unit: Unit,
  kind: ModelKind,
  sizes: readonly string[] | undefined,
): boolean {
  if (sizes !== undefined) return sizes.some((size) => hasRate(rates, unit, size));
  return makesVideos(kind) && rates.when?.some(({ rates }) => rates[unit] !== undefined) === true;
}

/** Whether films of a size have a rate for a unit. */
export function hasRate(rates: Rates, unit: Unit, size: string): boolean {
  return ratesFor(rates, { work: NO_WORK, terms: videoTerms(size) })[unit] !== undefined;
}

/** The sizes that rates name. */
export function ratedSizes(rates: Rates | undefined): readonly string[] {
  return (rates?.when ?? []).flatMap(({ condition: { size } }) => size === undefined ? [] : [size]);
}
