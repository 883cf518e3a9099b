/**
 * What the model list says about prices: `from_price` and `pricing`.
 *
 * @module
 */

import { kindOf, type ModelKind, pricedPer } from "../domain/capabilities.ts";
import type { Route } from "../domain/catalogue.ts";
import { divideHalfUp, formatAmount } from "../domain/money.ts";
import { type Rates, saleBasis, type UnitRates } from "../domain/price.ts";
import { isPriced } from "../domain/rates_for.ts";
import { spellRates, WIRE_NAMES } from "../domain/spell_rates.ts";
import type { PriceList } from "./price_list.ts";
import { FACTOR_ONE } from "./price_work.ts";

/** The price fields of a model list entry. */
export interface FromPrice {
  readonly from_price: string | null;
  /** The prices of the route that `from_price` is taken from. */
  readonly pricing: PriceList | null;
}

/**
 * The lowest main sale rate (input, or second for video) among the routes, plus
 * the route's price per request. `null` when no route is priced, and when that
 * rate is 0 although something else on the route is not; "0.00000000" only when
 * a route is free altogether.
 */
export function fromPrice(routes: readonly Route[], kind: ModelKind): FromPrice {
  let best: { route: Route; rate: bigint; free: boolean } | undefined;
  for (const route of routes) {
    if (!isPriced(route, kind)) continue;
    const rates = saleRates(route, kind);
    const rate = mainRate(rates, kind) + (rates.request ?? 0n);
    const free = rate === 0n && isFree(rates);
    if (best === undefined || rate < best.rate || (rate === best.rate && free && !best.free)) {
      best = { route, rate, free };
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

/** The sale prices of a route, or `null` when it is unpriced. */
export function priceList(route: Route, kind: ModelKind): PriceList | null {
  if (!isPriced(route, kind)) return null;
  return {
    currency: route.prices.currency,
    unit: pricedPer(kind),
    ...spellRates(saleRates(route, kind), { ...WIRE_NAMES, amount: show }),
  } as PriceList;
}

/** Sale rates times {@linkcode FACTOR_ONE}: exact under any markup. */
function saleRates({ prices, video }: Route, kind: ModelKind): Rates {
  const { sale } = prices;
  if (sale?.kind === "free") {
    return Object.fromEntries(kindOf(kind).buys.map((unit) => [unit, 0n]));
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

function mainRate(rates: Rates, kind: ModelKind): bigint {
  const [main] = kindOf(kind).buys;
  const found = allRates(rates).flatMap((one) => one[main!] ?? []);
  return found.reduce((least, rate) => rate < least ? rate : least, found[0] ?? 0n);
}

function isFree(rates: Rates): boolean {
  return allRates(rates).every((one) => Object.values(one).every((rate) => rate === 0n));
}

function show(rate: bigint): string {
  return formatAmount(divideHalfUp(rate, FACTOR_ONE));
}
