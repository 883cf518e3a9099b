/**
 * When two price versions mean the same prices.
 *
 * @module
 */

import type { PriceVersion, Rates, Sale } from "./price.ts";
import { OWN_NAMES, spellRates } from "./spell_rates.ts";

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

function sameRates(one: Rates | undefined, other: Rates | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return textOf(one) === textOf(other);
}

/** Equal rates are equal text. */
function textOf(rates: Rates): string {
  return JSON.stringify(spellRates(rates, { ...OWN_NAMES, amount: String }));
}
