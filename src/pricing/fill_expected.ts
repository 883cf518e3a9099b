/**
 * What an upstream leaves out of its counts: prices by the second are of no use where it counts
 * tokens, and the reverse. What a route is paid by is never 0 by accident.
 *
 * @module
 */

import { type PriceVersion, type Rates, saleBasis } from "../domain/price.ts";
import { type Unit, unitOf } from "../domain/units.ts";
import { completionTokens, promptTokens, type Work } from "../domain/work.ts";

/**
 * The counts with those estimates that they say nothing of and a price asks for; `undefined` where
 * none is missing. Tokens are one thing: who counts any of them counts them all.
 */
export function fillExpected(
  { cost, ...prices }: PriceVersion,
  { reported, likely }: { readonly reported: Work; readonly likely: Work },
): Work | undefined {
  const sides = [cost, saleBasis({ cost, ...prices })];
  const hasTokens = promptTokens(reported) + completionTokens(reported) > 0;
  const missing = Object.entries(likely).filter(([name, count]) => {
    const unit = name as keyof Work;
    if (count === 0 || reported[unit] !== undefined) return false;
    if (hasTokens && unitOf(unit).side !== undefined) return false;
    return sides.some((rates) => rates !== undefined && isRated(rates, unit));
  });
  return missing.length === 0 ? undefined : { ...reported, ...Object.fromEntries(missing) };
}

function isRated(rates: Rates, unit: Unit): boolean {
  for (let at: Unit | undefined = unit; at !== undefined; at = unitOf(at).fallback) {
    if (rates[at] !== undefined || rates.when?.some(({ rates }) => rates[at!] !== undefined)) {
      return true;
    }
  }
  return false;
}
