/**
 * Prices a usage: the one place where tokens and films become money.
 *
 * @module
 */

import type { VideoWork } from "../domain/call.ts";
import { type AmountE8, divideHalfUp, formatAmount, MAX_AMOUNT_E8 } from "../domain/money.ts";
import type { PriceVersion, Rates } from "../domain/price.ts";
import { secondRate } from "../domain/second_rate.ts";
import type { Usage } from "../domain/usage.ts";

/** What a usage costs the operator and sells for to the project. */
export interface PricedUsage {
  readonly costE8: AmountE8;
  readonly saleE8: AmountE8;
}

/** Token rates are per this many tokens; sums before rounding are in 1e-8 units times this. */
export const TOKENS_PER_RATE = 1_000_000n;

/** A markup factor of 1 in the integers that `Sale` keeps. */
export const FACTOR_ONE = 100_000_000n;

const MARKUP_DENOMINATOR = TOKENS_PER_RATE * FACTOR_ONE;

/**
 * Prices a usage at a price version, cost and sale separately, each rounded once
 * at its end, half up. Cached and cache-write tokens are taken out of the prompt
 * tokens and reasoning out of the completion tokens; a part that is larger than
 * its whole is cut to it, so that no price can exceed the hold that was sized
 * for the whole. A missing part rate falls back to `input` or `output`, any
 * other missing rate counts as 0, and so does an absent cost or sale side.
 *
 * @param images Input images that a per-image rate applies to.
 * @param video The film that was made, for the rate per second of its size; of one that
 * was made in part, so many percent of everything, the price per call included.
 * @throws {RangeError} If a count is not a non-negative safe integer, or an
 * amount does not fit {@linkcode MAX_AMOUNT_E8}: such usage is absurd and is to
 * be estimated instead.
 */
export function priceUsage(
  prices: PriceVersion,
  usage: Usage,
  images: number,
  video?: VideoWork,
): PricedUsage {
  checkCount(usage.promptTokens, "promptTokens");
  checkCount(usage.completionTokens, "completionTokens");
  checkCount(usage.cachedTokens, "cachedTokens");
  checkCount(usage.cacheWriteTokens, "cacheWriteTokens");
  checkCount(usage.reasoningTokens, "reasoningTokens");
  checkCount(images, "images");
  if (video !== undefined) checkCount(video.seconds, "seconds");
  const percent = video?.percent;
  const { cost, sale } = prices;
  const work = { usage, images, video };
  const costSum = cost === undefined ? 0n : sumRates(cost, work);
  const costE8 = costSum === 0n ? 0n : checkAmount(round(costSum, TOKENS_PER_RATE, percent));
  if (sale === undefined || sale.kind === "free") return { costE8, saleE8: 0n };
  if (sale.kind === "markup") {
    const saleE8 = round(costSum * sale.factorE8, MARKUP_DENOMINATOR, percent);
    return { costE8, saleE8: checkAmount(saleE8) };
  }
  const saleE8 = round(sumRates(sale.rates, work), TOKENS_PER_RATE, percent);
  return { costE8, saleE8: checkAmount(saleE8) };
}

/** Rounds an exact sum once, or so many percent of it. */
function round(sum: bigint, denominator: bigint, percent: number | undefined): bigint {
  return percent === undefined
    ? divideHalfUp(sum, denominator)
    : divideHalfUp(sum * BigInt(percent), denominator * 100n);
}

/** Everything that rates apply to. */
interface PricedWork {
  readonly usage: Usage;
  readonly images: number;
  readonly video: VideoWork | undefined;
}

/** The exact sum of one side, in 1e-8 units times {@linkcode TOKENS_PER_RATE}. */
function sumRates(rates: Rates, { usage, images, video }: PricedWork): bigint {
  const { promptTokens, completionTokens } = usage;
  const cached = Math.min(usage.cachedTokens, promptTokens);
  const written = Math.min(usage.cacheWriteTokens, promptTokens - cached);
  const reasoning = Math.min(usage.reasoningTokens, completionTokens);
  let sum = times(rates.input, promptTokens - cached - written) +
    times(rates.output, completionTokens - reasoning);
  if (cached > 0) sum += times(rates.cachedInput ?? rates.input, cached);
  if (written > 0) sum += times(rates.cacheWrite ?? rates.input, written);
  if (reasoning > 0) sum += times(rates.reasoning ?? rates.output, reasoning);
  if (rates.request !== undefined) sum += rates.request * TOKENS_PER_RATE;
  if (images > 0) sum += times(rates.image, images) * TOKENS_PER_RATE;
  if (video !== undefined) {
    sum += times(secondRate(rates, video.size), video.seconds) * TOKENS_PER_RATE;
  }
  return sum;
}

function times(rate: bigint | undefined, count: number): bigint {
  return rate === undefined || count === 0 ? 0n : rate * BigInt(count);
}

function checkCount(count: number, name: string): void {
  if (!Number.isSafeInteger(count) || count < 0) {
    throw new RangeError(
      `Cannot price a usage as '${name}' must be a non-negative integer: current value is ${count}`,
    );
  }
}

function checkAmount(amount: AmountE8): AmountE8 {
  if (amount > MAX_AMOUNT_E8) {
    throw new RangeError(
      `Cannot price a usage as its amount must be at most ${formatAmount(MAX_AMOUNT_E8)}: ` +
        `current value is ${formatAmount(amount)}`,
    );
  }
  return amount;
}
