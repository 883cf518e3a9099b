/**
 * Prices of a route that will work otherwise than its operator may think.
 *
 * @module
 */

import { makesFilms, type ModelKind } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Rates } from "../domain/price.ts";
import { isPriced } from "../domain/priced.ts";
import { secondRate } from "../domain/second_rate.ts";

const MISSING_PRICES = {
  chat: "add input and output rates",
  embedding: "add an input rate",
  video: "add a rate per second",
} as const;

/** One sentence for each; empty when every price does what it says. */
export function priceWarnings(route: Route, kind: ModelKind): readonly string[] {
  if (!isPriced(route, kind)) {
    return [`Unpriced, so it never serves: ${MISSING_PRICES[kind]}, or free: true`];
  }
  return makesFilms(kind) ? filmWarnings(route) : [];
}

function filmWarnings(route: Route): readonly string[] {
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
  if (typeof rates?.second !== "object") return [];
  return sizes.filter((size) => secondRate(rates, size) === undefined);
}

function ratedSizes(rates: Rates | undefined): readonly string[] {
  return typeof rates?.second === "object" ? Object.keys(rates.second) : [];
}
