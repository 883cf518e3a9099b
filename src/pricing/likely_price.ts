/**
 * The likely price of a call as a floating point number: for weighing routes
 * against each other on the hot path, never for charging or showing.
 *
 * @module
 */

import { likelyOutputTokens } from "../domain/likely_output.ts";
import type { PriceVersion, Rates } from "../domain/price.ts";
import { secondRate } from "../domain/second_rate.ts";
import type { LikelyFacts } from "./quote.ts";

/** Sale rates as numbers, in 1e-8 units per token, call and image. */
interface WeighingRates {
  readonly input: number;
  readonly output: number;
  readonly request: number;
  readonly image: number;
}

const FREE: WeighingRates = { input: 0, output: 0, request: 0, image: 0 };

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
export function likelyPrice(prices: PriceVersion, facts: LikelyFacts): number {
  if (facts.video !== undefined) return filmPrice(prices, facts);
  const weighed = prices as Weighed;
  const rates = weighed[WEIGHING_RATES] ?? weighingRates(prices);
  if (weighed[WEIGHING_RATES] === undefined && Object.isExtensible(weighed)) {
    Object.defineProperty(weighed, WEIGHING_RATES, { value: rates });
  }
  return rates.input * facts.promptTokensEstimate + rates.output * likelyOutputTokens(facts) +
    rates.request + rates.image * facts.images;
}

/** A film is asked for far less often than a chat: its rate is looked up each time. */
function filmPrice({ cost, sale }: PriceVersion, { video, images }: LikelyFacts): number {
  const rates = sale?.kind === "rates" ? sale.rates : sale?.kind === "markup" ? cost : undefined;
  if (rates === undefined || video === undefined) return 0;
  const factor = sale?.kind === "markup" ? Number(sale.factorE8) / 1e8 : 1;
  const { request, image } = scale(rates, factor);
  const second = Number(secondRate(rates, video.size) ?? 0n) * factor;
  return second * video.seconds + request + image * images;
}

function weighingRates({ cost, sale }: PriceVersion): WeighingRates {
  if (sale?.kind === "rates") return scale(sale.rates, 1);
  if (sale?.kind === "markup") return scale(cost ?? {}, Number(sale.factorE8) / 1e8);
  return FREE;
}

function scale(rates: Rates, factor: number): WeighingRates {
  return {
    input: Number(rates.input ?? 0n) * factor / 1e6,
    output: Number(rates.output ?? 0n) * factor / 1e6,
    request: Number(rates.request ?? 0n) * factor,
    image: Number(rates.image ?? 0n) * factor,
  };
}
