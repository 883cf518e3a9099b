/**
 * What the model list says about prices: `from_price` and `pricing`.
 *
 * @module
 */

import { kindOf, type ModelKind, pricedPer } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import { divideHalfUp, formatAmount } from "../domain/money.ts";
import { type Rates, saleBasis, type UnitRates } from "../domain/price.ts";
import { isPriced, listPriced } from "../domain/rates_for.ts";
import { spellRates, WIRE_NAMES } from "../domain/spell_rates.ts";
import type { Unit } from "../domain/units.ts";
import type { PriceList } from "./price_list.ts";
import { FACTOR_ONE } from "./price_work.ts";

/** The price fields of a model list entry. */
export interface FromPrice {
  readonly from_price: string | null;
  /** The prices of the route that `from_price` is taken from. */
  readonly pricing: PriceList | null;
}

/**
 * The lowest main sale rate (such as input, or second for video) among the routes, plus
 * the route's price per request. Of routes with different main units those count that have
 * the kind's first one. `null` when no route is priced, and when that rate is 0 although
 * something else on the route is not; "0.00000000" only when a route is free altogether.
 */
export function fromPrice(routes: readonly Route[], kind: ModelKind): FromPrice {
  let best: { route: Route; list: number; rate: bigint; free: boolean } | undefined;
  for (const route of routes) {
    if (!isPriced(route, kind)) continue;
    const rates = saleRates(route, kind);
    const list = listPriced(rates, kind) ?? 0;
    const rate = mainRate(rates, kindOf(kind).buys[list]![0]!) + (rates.request ?? 0n);
    const free = rate === 0n && isFree(rates);
    if (best === undefined || isLess({ list, rate, free }, best)) {
      best = { route, list, rate, free };
    }
  }
  if (best === undefined) return { from_price: null, pricing: null };
  const rounded = divideHalfUp(best.rate, FACTOR_ONE);
  return {
    // A rate too small to show must not look free either.
    from_price: rounded === 0n && !best.free ? null : formatAmount(rounded),
    pricing: priceList(best.route, kind),
  };
}

interface Compared {
  readonly list: number;
  readonly rate: bigint;
  readonly free: boolean;
}

function isLess(one: Compared, other: Compared): boolean {
  if (one.list !== other.list) return one.list < other.list;
  return one.rate < other.rate || (one.rate === other.rate && one.free && !other.free);
}

/** The sale prices of a route, or `null` when it is unpriced. */
export function priceList(route: Route, kind: ModelKind): PriceList | null {
  if (!isPriced(route, kind)) return null;
  const rates = saleRates(route, kind);
  return {
    currency: route.prices.currency,
    unit: pricedPer(kindOf(kind).buys[listPriced(rates, kind) ?? 0]![0]!),
    ...spellRates(rates, { ...WIRE_NAMES, amount: show }),
  } as PriceList;
}

/** Sale rates times {@linkcode FACTOR_ONE}: exact under any markup. */
function saleRates({ prices, video }: Route, kind: ModelKind): Rates {
  const { sale } = prices;
  if (sale?.kind === "free") {
    return Object.fromEntries(kindOf(kind).buys[0].map((unit) => [unit, 0n]));
  }
  const factor = sale?.kind === "markup" ? sale.factorE8 : FACTOR_ONE;
  const { when, ...rates } = saleBasis(prices) ?? {};
  // Nobody can pay the price of a size that the route does not offer.
  const onOffer = when?.filter(({ condition: { size } }) =>
    size === undefined || video === undefined || video.sizes.includes(size)
  );
  return {
    ...scaled(rates, factor),
    ...(onOffer !== undefined && {
      when: onOffer.map((one) => ({ ...one, rates: scaled(one.rates, factor) })),
    }),
  };
}

function scaled(rates: UnitRates, factor: bigint): UnitRates {
  return Object.fromEntries(
    Object.entries(rates).flatMap(([unit, rate]) =>
      rate === undefined ? [] : [[unit, rate * factor]]
    ),
  );
}

/** Every rate that a call may have, whatever its condition. */
function allRates(rates: Rates): readonly UnitRates[] {
  const { when = [], ...base } = rates;
  return [base, ...when.map((one) => one.rates)];
}

function mainRate(rates: Rates, main: Unit): bigint {
  const found = allRates(rates).flatMap((one) => one[main] ?? []);
  return found.reduce((least, rate) => rate < least ? rate : least, found[0] ?? 0n);
}

function isFree(rates: Rates): boolean {
  return allRates(rates).every((one) => Object.values(one).every((rate) => rate === 0n));
}

function show(rate: bigint): string {
  return formatAmount(divideHalfUp(rate, FACTOR_ONE));
}
