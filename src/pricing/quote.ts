/**
 * What a call may cost its project, before it is made: the worst case for a
 * hold, the likely case for comparing routes.
 *
 * @module
 */

import { type Bought, dearestRates, ratesFor } from "../domain/rates_for.ts";
import { likelyOutputTokens, type OutputFacts } from "../domain/likely_output.ts";
import { type AmountE8, divideHalfUp, type RateE8 } from "../domain/money.ts";
import { type PriceVersion, saleBasis, type UnitRates } from "../domain/price.ts";
import type { TermName, Terms } from "../domain/terms.ts";
import type { Expected } from "../domain/request_facts.ts";
import { addWork, type Work } from "../domain/work.ts";
import { FACTOR_ONE, roundSale, sumRates } from "./price_work.ts";
import { type Unit, UNIT_NAMES, unitOf } from "../domain/units.ts";

/** What is known of a call beforehand, besides its tokens. */
export interface AskedFacts {
  /** What the request itself says that it buys: images it sends, seconds it asks for; absent: nothing. */
  readonly asked?: Work | undefined;
  /** What only the answer will tell of what it buys; absent: nothing. */
  readonly expected?: Expected | undefined;
  readonly terms?: Terms | undefined;
  /** What only the answer will tell of them; absent: nothing. */
  readonly openTerms?: readonly TermName[] | undefined;
  /** Whether it has to do with more than text; absent: it has not. */
  readonly isMedia?: boolean | undefined;
}

/** The most a call can use. */
export interface HoldFacts extends AskedFacts {
  /** No prompt can have more tokens than this (its UTF-8 bytes). */
  readonly promptTokensBound: number;
  /** Output limit of each choice. */
  readonly outputTokens: number;
  readonly choices: number;
}

/** What a call will likely use. */
export interface LikelyFacts extends OutputFacts, AskedFacts {
  readonly promptTokensEstimate: number;
}

/**
 * The largest sale amount that any work within the facts can be priced at: each token at
 * the dearest rate that it could have, rounded like
 * {@linkcode import("./price_work.ts").priceWork}, so that work within the bounds is never
 * priced above it. What is asked for is known, so the hold of a film is its price exactly.
 * An unpriced or free route holds 0. The answer may exceed the largest storable amount; no
 * balance covers that.
 */
export function quoteHold(prices: PriceVersion, facts: HoldFacts): AmountE8 {
  const rates = saleBasis(prices);
  if (rates === undefined) return 0n;
  const { promptTokensBound: input, outputTokens, choices, expected } = facts;
  const asked = expected === undefined ? facts.asked : { ...facts.asked, ...expected.most };
  const tokens = { input, output: outputTokens * choices };
  const work = asked === undefined ? tokens : addWork(asked, tokens);
  return roundSale(prices, sumRates(dearestRates(rates, facts), work));
}

/** What a call will likely buy, also in its parts: going through all units takes time. */
export interface LikelyBought extends Bought {
  readonly tokens: { readonly input: number; readonly output: number };
  readonly asked: Work | undefined;
}

/**
 * What a call will likely buy: the estimated prompt, the requested maximum of output
 * (else 512 tokens a choice), and what it asks for. Discounts for cached input are left
 * out: nobody knows them before the call.
 */
export function likelyBought(facts: LikelyFacts): LikelyBought {
  const { promptTokensEstimate: input, expected, terms } = facts;
  const asked = expected === undefined ? facts.asked : { ...facts.asked, ...expected.likely };
  const tokens = { input, output: likelyOutputTokens(facts) };
  return { work: asked === undefined ? tokens : addWork(asked, tokens), tokens, asked, terms };
}

/** The sale amount to compare routes by; `undefined` when the route is unpriced. */
export function quoteLikely(prices: PriceVersion, bought: Bought): AmountE8 | undefined {
  if (prices.sale === undefined) return undefined;
  const rates = saleBasis(prices);
  if (rates === undefined) return 0n;
  return roundSale(prices, sumRates(ratesFor(rates, bought), bought.work));
}

/** What a unit of such a call sells for, rounded once; 0 where it has no rate. */
export function saleRateE8(prices: PriceVersion, unit: Unit, bought: Bought): RateE8 {
  const rate = ratesFor(saleBasis(prices) ?? {}, bought)[unit] ?? 0n;
  return prices.sale?.kind === "markup"
    ? divideHalfUp(rate * prices.sale.factorE8, FACTOR_ONE)
    : rate;
}

/** Sale rates as numbers, in 1e-8 units for one of each unit. */
type WeighingRates = { readonly [unit in Unit]: number };

/**
 * A price version never changes, so its numbers are made once and kept on it: a
 * table beside thousands of routes costs several times as much to look into.
 */
const WEIGHING_RATES = Symbol("weighing rates");

type Weighed = PriceVersion & { readonly [WEIGHING_RATES]?: WeighingRates };

/**
 * What `quoteLikely` says, unrounded and as a number of 1e-8 units: for weighing routes against each
 * other on the hot path, never for charging or showing. An unpriced route counts as 0 here; selection
 * leaves it out before weighing.
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
