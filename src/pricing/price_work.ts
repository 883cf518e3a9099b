/**
 * Prices what was bought: the one place where counts become money, by the exact sum at its rates.
 *
 * @module
 */

import { type Bought, ratesFor } from "../domain/rates_for.ts";
import {
  type AmountE8,
  divideHalfUp,
  formatAmount,
  MAX_AMOUNT_E8,
  type RateE8,
} from "../domain/money.ts";
import type { PriceVersion, UnitRates } from "../domain/price.ts";
import type { Work } from "../domain/work.ts";
import { type Unit, UNIT_NAMES, unitOf } from "../domain/units.ts";

/** Sums are in 1e-8 units times this: exact also for rates per million. */
const SUM_SCALE = 1_000_000n;

/** What one of each unit adds to a sum: fallbacks are followed, and without any rate it is 0. */
interface RateTable {
  readonly exact: { readonly [unit in Unit]: bigint };
  /** The same as floating point numbers, exact up to 2^53. */
  readonly quick: { readonly [unit in Unit]: number };
}

/** Rates never change, so what follows from them is worked out once. */
const tables = new WeakMap<UnitRates, RateTable>();

/**
 * A call's `request` and its work, in 1e-8 units times {@linkcode SUM_SCALE}. Big integers take
 * several times as long, and nearly every sum is a safe integer: a term or a sum that is none
 * cannot look like one, as rounding never crosses 2^53.
 */
export function sumRates(rates: UnitRates, work: Work): bigint {
  let table = tables.get(rates);
  if (table === undefined) tables.set(rates, table = tableOf(rates));
  const { quick } = table;
  let sum = quick.request;
  for (const name in work) sum += quick[name as keyof Work] * (work[name as keyof Work] ?? 0);
  return sum <= Number.MAX_SAFE_INTEGER ? BigInt(sum) : sumExactly(table, work);
}

function sumExactly({ exact }: RateTable, work: Work): bigint {
  let sum = exact.request;
  for (const name in work) sum += exact[name as keyof Work] * BigInt(work[name as keyof Work] ?? 0);
  return sum;
}

/** The rate that a unit is sold at: its own, or the one that it falls back to; 0 without any. */
export function rateOfUnit(rates: UnitRates, unit: Unit): RateE8 {
  let at: Unit | undefined = unit;
  while (at !== undefined && rates[at] === undefined) at = unitOf(at).fallback;
  return at === undefined ? 0n : rates[at]!;
}

function tableOf(rates: UnitRates): RateTable {
  const rateOf = (unit: Unit) => {
    const rate = rateOfUnit(rates, unit);
    return unitOf(unit).per === "one" ? rate * SUM_SCALE : rate;
  };
  const tabled = <T>(of: (unit: Unit) => T) =>
    Object.fromEntries(UNIT_NAMES.map((unit) => [unit, of(unit)])) as { [unit in Unit]: T };
  return { exact: tabled(rateOf), quick: tabled((unit) => Number(rateOf(unit))) };
}

/** What a call costs the operator and sells for to the project. */
export interface PricedWork {
  readonly costE8: AmountE8;
  readonly saleE8: AmountE8;
}

/** A markup factor of 1 in the integers that `Sale` keeps. */
export const FACTOR_ONE = 100_000_000n;

const MARKUP_DENOMINATOR = SUM_SCALE * FACTOR_ONE;

/**
 * Prices what was bought at a price version, cost and sale separately, each rounded once
 * at its end, half up. A missing rate falls back as the table of units says, any other
 * missing rate counts as 0, and so does an absent cost or sale side. Of what was made in
 * part it is so many percent of everything, the price per call included.
 *
 * @throws {RangeError} If a count is not a non-negative safe integer, or an
 * amount does not fit {@linkcode MAX_AMOUNT_E8}: such counts are absurd and are to
 * be estimated instead.
 */
export function priceWork(prices: PriceVersion, bought: Bought): PricedWork {
  const { work, percent } = bought;
  checkCounts(work);
  const { cost, sale } = prices;
  const costSum = cost === undefined ? 0n : sumRates(ratesFor(cost, bought), work);
  const costE8 = costSum === 0n ? 0n : checkAmount(round(costSum, SUM_SCALE, percent));
  if (sale === undefined || sale.kind === "free") return { costE8, saleE8: 0n };
  const saleE8 = sale.kind === "markup"
    ? round(costSum * sale.factorE8, MARKUP_DENOMINATOR, percent)
    : round(sumRates(ratesFor(sale.rates, bought), work), SUM_SCALE, percent);
  return { costE8, saleE8: checkAmount(saleE8) };
}

/** What a sum over the rates that a sale is made of sells for, rounded once. */
export function roundSale({ sale }: PriceVersion, sum: bigint): AmountE8 {
  return sale?.kind === "markup"
    ? divideHalfUp(sum * sale.factorE8, MARKUP_DENOMINATOR)
    : divideHalfUp(sum, SUM_SCALE);
}

/** Rounds an exact sum once, or so many percent of it. */
function round(sum: bigint, denominator: bigint, percent: number | undefined): bigint {
  return percent === undefined
    ? divideHalfUp(sum, denominator)
    : divideHalfUp(sum * BigInt(percent), denominator * 100n);
}

function checkCounts(work: Work): void {
  for (const unit in work) {
    const count = work[unit as keyof Work];
    if (count === undefined || (Number.isSafeInteger(count) && count >= 0)) continue;
    throw new RangeError(
      `Cannot price a call as its '${unit}' must be a non-negative integer: current value is ${count}`,
    );
  }
}

function checkAmount(amount: AmountE8): AmountE8 {
  if (amount > MAX_AMOUNT_E8) {
    throw new RangeError(
      `Cannot price a call as its amount must be at most ${formatAmount(MAX_AMOUNT_E8)}: ` +
        `current value is ${formatAmount(amount)}`,
    );
  }
  return amount;
}
