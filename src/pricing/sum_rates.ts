/**
 * The exact sum of what was bought at its rates.
 *
 * @module
 */

import type { UnitRates } from "../domain/price.ts";
import { type Unit, UNIT_NAMES, unitOf } from "../domain/units.ts";
import type { Work } from "../domain/work.ts";

/** Sums are in 1e-8 units times this: exact also for rates per million. */
export const SUM_SCALE = 1_000_000n;

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

function tableOf(rates: UnitRates): RateTable {
  const rateOf = (unit: Unit) => {
    let at: Unit | undefined = unit;
    while (at !== undefined && rates[at] === undefined) at = unitOf(at).fallback;
    const rate = at === undefined ? 0n : rates[at]!;
    return unitOf(unit).per === "one" ? rate * SUM_SCALE : rate;
  };
  const tabled = <T>(of: (unit: Unit) => T) =>
    Object.fromEntries(UNIT_NAMES.map((unit) => [unit, of(unit)])) as { [unit in Unit]: T };
  return { exact: tabled(rateOf), quick: tabled((unit) => Number(rateOf(unit))) };
}
