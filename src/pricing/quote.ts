/**
 * What a call may cost its project, before it is made: the worst case for a
 * hold, the likely case for comparing routes.
 *
 * @module
 */

import type { VideoWork } from "../domain/call.ts";
import { likelyOutputTokens, type OutputFacts } from "../domain/likely_output.ts";
import { type AmountE8, divideHalfUp } from "../domain/money.ts";
import type { PriceVersion, Rates } from "../domain/price.ts";
import { secondRate } from "../domain/second_rate.ts";
import { FACTOR_ONE, TOKENS_PER_RATE } from "./price_usage.ts";

/** The most a call can use. */
export interface HoldFacts {
  /** No prompt can have more tokens than this (its UTF-8 bytes). */
  readonly promptTokensBound: number;
  /** Output limit of each choice. */
  readonly outputTokens: number;
  readonly choices: number;
  /** Input images that a per-image rate applies to. */
  readonly images: number;
  /** The film asked for; videos only. */
  readonly video?: VideoWork | undefined;
}

/** What a call will likely use. */
export interface LikelyFacts extends OutputFacts {
  readonly promptTokensEstimate: number;
  readonly images: number;
  /** The film asked for; videos only. */
  readonly video?: VideoWork | undefined;
}

/**
 * The largest sale amount that any usage within the facts can be priced at: the
 * prompt at the dearest of the input rates, the output at the dearest of the
 * output rates, rounded like {@linkcode import("./price_usage.ts").priceUsage},
 * so a usage within the bounds is never priced above it. A film is priced by what
 * was asked for and uses no tokens, so its hold is its price exactly. An unpriced
 * or free route holds 0. The answer may exceed the largest storable amount; no balance
 * covers that.
 */
export function quoteHold(prices: PriceVersion, facts: HoldFacts): AmountE8 {
  const rates = saleBasis(prices);
  if (rates === undefined) return 0n;
  if (facts.video !== undefined) return round(prices, perFilm(rates, facts.video, facts.images));
  const input = dearest(rates.input, rates.cachedInput, rates.cacheWrite);
  const output = dearest(rates.output, rates.reasoning, undefined);
  const sum = times(input, facts.promptTokensBound) +
    times(output, facts.outputTokens) * BigInt(facts.choices) +
    perCall(rates, facts.images);
  return round(prices, sum);
}

/**
 * The sale amount to compare routes by: the estimated prompt at the input rate
 * plus the requested maximum of output (else 512 tokens a choice) at the output
 * rate, and the prices per request and image. Discounts for cached input are
 * left out: nobody knows them before the call. A film's quote is its price.
 * `undefined` when the route is unpriced.
 */
export function quoteLikely(prices: PriceVersion, facts: LikelyFacts): AmountE8 | undefined {
  if (prices.sale === undefined) return undefined;
  const rates = saleBasis(prices);
  if (rates === undefined) return 0n;
  if (facts.video !== undefined) return round(prices, perFilm(rates, facts.video, facts.images));
  const sum = times(rates.input, facts.promptTokensEstimate) +
    times(rates.output, likelyOutputTokens(facts)) +
    perCall(rates, facts.images);
  return round(prices, sum);
}

/** The rates that the sale is computed from; `undefined` when it is 0 whatever is used. */
function saleBasis(prices: PriceVersion): Rates | undefined {
  switch (prices.sale?.kind) {
    case "rates":
      return prices.sale.rates;
    case "markup":
      return prices.cost;
    default:
      return undefined;
  }
}

function round({ sale }: PriceVersion, sum: bigint): AmountE8 {
  return sale?.kind === "markup"
    ? divideHalfUp(sum * sale.factorE8, TOKENS_PER_RATE * FACTOR_ONE)
    : divideHalfUp(sum, TOKENS_PER_RATE);
}

function perFilm(rates: Rates, { size, seconds }: VideoWork, images: number): bigint {
  return times(secondRate(rates, size), seconds) * TOKENS_PER_RATE + perCall(rates, images);
}

function perCall(rates: Rates, images: number): bigint {
  if (rates.request === undefined && (images === 0 || rates.image === undefined)) return 0n;
  return ((rates.request ?? 0n) + times(rates.image, images)) * TOKENS_PER_RATE;
}

/** The dearest of a rate and those that fall back to it; an absent base counts as 0. */
function dearest(base: bigint | undefined, one: bigint | undefined, two: bigint | undefined) {
  let most = base ?? 0n;
  if (one !== undefined && one > most) most = one;
  if (two !== undefined && two > most) most = two;
  return most;
}

function times(rate: bigint | undefined, count: number): bigint {
  return rate === undefined || count === 0 ? 0n : rate * BigInt(count);
}
