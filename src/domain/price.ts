/**
 * What a route costs and sells for: rates as exact integers.
 *
 * @module
 */

import type { Condition } from "./terms.ts";
import type { RateE8 } from "./money.ts";
import type { Unit } from "./units.ts";

/**
 * A rate for each unit that has one, of so many as {@linkcode import("./units.ts").UNITS}
 * says. A rate that is absent is unknown, which is not 0: it falls back as that table says.
 */
export type UnitRates = { readonly [unit in Unit]?: RateE8 };

/** Rates of one side (cost or sale), and those that take their place under conditions. */
export interface Rates extends UnitRates {
  /** Each replaces the rates that it names while its condition holds; of two the later one wins. */
  readonly when?: readonly RatesWhen[];
}

/** Rates under a condition. */
export interface RatesWhen {
  readonly condition: Condition;
  readonly rates: UnitRates;
}

/** How the sale side follows: free, the unrounded cost times a factor, or rates of its own. */
export type Sale =
  | { readonly kind: "free" }
  | { readonly kind: "markup"; readonly factorE8: bigint }
  | { readonly kind: "rates"; readonly rates: Rates };

/**
 * The prices of a route as they stood at one time. Each difference in prices
 * gets a new version, which holds and settles refer to by number.
 */
export interface PriceVersion {
  /** Assigned by storage, rising; 0 while not yet stored. */
  readonly version: number;
  readonly routeId: string;
  readonly currency: string;
  /** What the operator pays; an absent cost (own hardware) counts as zero. */
  readonly cost: Rates | undefined;
  /** What the project pays; `undefined` means the route is unpriced. */
  readonly sale: Sale | undefined;
}

/** The rates that the sale is computed from; `undefined` when it is 0 whatever is bought. */
export function saleBasis({ cost, sale }: PriceVersion): Rates | undefined {
  switch (sale?.kind) {
    case "rates":
      return sale.rates;
    case "markup":
      return cost;
    default:
      return undefined;
  }
}

/** Whether anything of a price depends on more than counts. */
export function hasConditions({ cost, sale }: PriceVersion): boolean {
  return cost?.when !== undefined || (sale?.kind === "rates" && sale.rates.when !== undefined);
}

/** The `pricing` object of answers: decimal strings with 8 fractional digits. */
export interface PricingView {
  readonly currency: string;
  readonly cost_amount: string;
  readonly sale_amount: string;
}
