/**
 * The likely price of a call as a floating point number: for weighing routes
 * against each other on the hot path, never for charging or showing.
 *
 * @module
 */

import { type Bought, ratesFor } from "../domain/rates_for.ts";
import { type PriceVersion, saleBasis, type UnitRates } from "../domain/price.ts";
import { type Unit, UNIT_NAMES, unitOf } from "../domain/units.ts";
import type { Work } from "../domain/work.ts";
import type { LikelyBought } from "./quote.ts";

/** Sale rates as numbers, in 1e-8 units for one of each unit. */
type WeighingRates = { readonly [unit in Unit]: number };

/**
 * A price version never changes, so its numbers are made once and kept on it: a
 * table beside thousands of routes costs several times as much to look into.
 */
const WEIGHING_RATES = Symbol("weighing rates");

type Weighed = PriceVersion & { readonly [WEIGHING_RATES]?: WeighingRates };

/**
 * What `quoteLikely` says, unrounded and as a number of 1e-8 units. An unpriced
 * route counts as 0 here; selection leaves it out before weighing.
 */
export function likelyPrice(prices: PriceVersion, bought: LikelyBought): number {
  const rates = weighingRates(prices, bought);
  const { tokens, asked } = bought;
  let sum = rates.request + rates.input * tokens.input + rates.output * tokens.output;
  for (const unit in asked) sum += rates[unit as keyof Work] * asked[unit as keyof Work]!;
  return sum;
}

function weighingRates(prices: Weighed, bought: Bought): WeighingRates {
  const known = prices[WEIGHING_RATES];
  if (known !== undefined) return known;
  const basis = saleBasis(prices) ?? {};
  const rates = scale(ratesFor(basis, bought), prices);
  // Conditions make them another call's another time.
  if (basis.when === undefined && Object.isExtensible(prices)) {
    Object.defineProperty(prices, WEIGHING_RATES, { value: rates });
  }
  return rates;
}

function scale(rates: UnitRates, { sale }: PriceVersion): WeighingRates {
  const factor = sale?.kind === "markup" ? Number(sale.factorE8) / 1e8 : 1;
  const of = (unit: Unit) =>
    Number(rates[unit] ?? 0n) * factor / (unitOf(unit).per === "million" ? 1e6 : 1);
  return Object.fromEntries(UNIT_NAMES.map((unit) => [unit, of(unit)])) as WeighingRates;
}
