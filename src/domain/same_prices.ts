/**
 * When two price versions mean the same prices.
 *
 * @module
 */

import type { PriceVersion, Rates, Sale } from "./price.ts";

/**
 * Whether two versions price everything alike, by value: version numbers do not
 * count, a rate that is absent equals only an absent rate (not 0).
 */
export function samePrices(one: PriceVersion, other: PriceVersion): boolean {
  return one.routeId === other.routeId && one.currency === other.currency &&
    sameRates(one.cost, other.cost) && sameSale(one.sale, other.sale);
}

function sameSale(one: Sale | undefined, other: Sale | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind === "markup") return other.kind === "markup" && one.factorE8 === other.factorE8;
  if (one.kind === "rates") return other.kind === "rates" && sameRates(one.rates, other.rates);
  return other.kind === "free";
}

const TOKEN_AND_UNIT_RATES = [
  "input",
  "cachedInput",
  "cacheWrite",
  "output",
  "reasoning",
  "request",
  "image",
] as const satisfies readonly (keyof Rates)[];

function sameRates(one: Rates | undefined, other: Rates | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return TOKEN_AND_UNIT_RATES.every((name) => one[name] === other[name]) &&
    sameSecond(one.second, other.second);
}

function sameSecond(one: Rates["second"], other: Rates["second"]): boolean {
  if (typeof one !== "object" || typeof other !== "object") return one === other;
  const sizes = Object.keys(one);
  return sizes.length === Object.keys(other).length &&
    sizes.every((size) => one[size] === other[size]);
}
