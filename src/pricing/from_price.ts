/**
 * What the model list says about prices: `from_price` and `pricing`.
 *
 * @module
 */

import type { ModelKind } from "../domain/capabilities.ts";
import type { Route, VideoOffer } from "../domain/catalogue.ts";
import { type AmountE8, divideHalfUp, formatAmount } from "../domain/money.ts";
import type { Rates } from "../domain/price.ts";
import { isPriced } from "../domain/priced.ts";
import { FACTOR_ONE } from "./price_usage.ts";

/**
 * The sale prices of one route: decimal strings with 8 fractional digits. Token
 * rates are per million tokens, `second` per second of video; `request` and
 * `image` are per call and per input image whatever the unit. A rate that is
 * not given is absent and falls back as in
 * {@linkcode import("../domain/price.ts").Rates}.
 */
export interface PriceList {
  readonly currency: string;
  readonly unit: "million_tokens" | "second";
  readonly input?: string;
  readonly cached_input?: string;
  readonly cache_write?: string;
  readonly output?: string;
  readonly reasoning?: string;
  readonly request?: string;
  readonly image?: string;
  readonly second?: string | { readonly [size: string]: string };
}

/** The price fields of a model list entry. */
export interface FromPrice {
  readonly from_price: string | null;
  /** The prices of the route that `from_price` is taken from. */
  readonly pricing: PriceList | null;
}

/** Sale rates times {@linkcode FACTOR_ONE}: exact under any markup. */
type ScaledRates = Rates;

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
    const rates = saleRates(route);
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
  const rates = saleRates(route);
  const { currency, sale } = route.prices;
  if (kind === "video") {
    return {
      currency,
      unit: "second",
      ...shown({ request: rates.request, image: rates.image }),
      second: seconds(rates),
    };
  }
  const free = sale?.kind === "free";
  return {
    currency,
    unit: "million_tokens",
    ...shown({
      input: free ? 0n : rates.input,
      cached_input: rates.cachedInput,
      cache_write: rates.cacheWrite,
      output: free && kind === "chat" ? 0n : rates.output,
      reasoning: rates.reasoning,
      request: rates.request,
      image: rates.image,
    }),
  };
}

function saleRates({ prices: { cost, sale }, video }: Route): ScaledRates {
  if (sale?.kind === "rates") return scaled(onOffer(sale.rates, video), FACTOR_ONE);
  if (sale?.kind === "markup") return scaled(onOffer(cost ?? {}, video), sale.factorE8);
  return {};
}

/** Without the prices of sizes that the route does not offer: nobody can pay them. */
function onOffer(rates: Rates, video: VideoOffer | undefined): Rates {
  const { second } = rates;
  if (typeof second !== "object" || video === undefined) return rates;
  const offered = Object.entries(second).filter(([size]) => video.sizes.includes(size));
  return { ...rates, second: Object.fromEntries(offered) };
}

function scaled(rates: Rates, factor: bigint): ScaledRates {
  const result: { [name: string]: unknown } = {};
  for (const [name, rate] of Object.entries(rates)) {
    if (typeof rate === "bigint") result[name] = rate * factor;
    else if (rate !== undefined) result[name] = scaled(rate as Rates, factor);
  }
  return result as ScaledRates;
}

function mainRate(rates: ScaledRates, kind: ModelKind): bigint {
  if (kind !== "video") return rates.input ?? 0n;
  const { second } = rates;
  if (second === undefined || typeof second === "bigint") return second ?? 0n;
  const bySize = Object.values(second);
  return bySize.reduce((least, rate) => rate < least ? rate : least, bySize[0] ?? 0n);
}

function isFree(rates: ScaledRates): boolean {
  return Object.values(rates).every((rate) =>
    typeof rate === "bigint" ? rate === 0n : Object.values(rate ?? {}).every((one) => one === 0n)
  );
}

function seconds({ second }: ScaledRates): string | { readonly [size: string]: string } {
  if (second === undefined || typeof second === "bigint") return show(second ?? 0n);
  return Object.fromEntries(Object.entries(second).map(([size, rate]) => [size, show(rate)]));
}

function shown(rates: { readonly [name: string]: AmountE8 | undefined }): {
  [name: string]: string;
} {
  const result: { [name: string]: string } = {};
  for (const [name, rate] of Object.entries(rates)) {
    if (rate !== undefined) result[name] = show(rate);
  }
  return result;
}

function show(rate: bigint): string {
  return formatAmount(divideHalfUp(rate, FACTOR_ONE));
}
