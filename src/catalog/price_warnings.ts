/**
 * Prices of a route that will work otherwise than its operator may think.
 *
 * @module
 */

import { kindOf, makesVideos, type ModelKind } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Rates } from "../domain/price.ts";
import { hasRate, isPriced, ratedSizes } from "../domain/priced.ts";

/** One sentence for each; empty when every price does what it says. */
export function priceWarnings(route: Route, kind: ModelKind): readonly string[] {
  if (!isPriced(route, kind)) {
    return [`Unpriced, so it never serves: ${kindOf(kind).advice}, or free: true`];
  }
  return makesVideos(kind) ? videoWarnings(route) : [];
}

function videoWarnings(route: Route): readonly string[] {
  const { cost, sale } = route.prices;
  const sizes = route.video?.sizes ?? [];
  const saleRates = sale?.kind === "rates" ? sale.rates : undefined;
  return [
    ...sizes.filter((size) => !isPriced(route, "video", size))
      .map((size) => `Unpriced for ${size}: add its rate, or leave it out of video.sizes`),
    // Under a markup the sale lacks the rate too, which is said above.
    ...(sale?.kind === "markup" ? [] : sizesWithoutRate(cost, sizes))
      .map((size) => `Without a cost for ${size}, which then counts as 0: add its rate`),
    ...[...new Set([...ratedSizes(cost), ...ratedSizes(saleRates)])]
      .filter((size) => !sizes.includes(size))
      .map((size) => `Priced for ${size}, which it does not offer: add it to video.sizes`),
  ];
}

/** Offered sizes that a side with rates by size leaves out. */
function sizesWithoutRate(rates: Rates | undefined, sizes: readonly string[]): readonly string[] {
  if (rates === undefined || ratedSizes(rates).length === 0) return [];
  return sizes.filter((size) => !hasRate(rates, "second", size));
}
