/**
 * Rates as text: as the catalogue file and lists of prices write them, and as they are
 * stored. What is under no condition stands by itself; seconds of a film by size are
 * an object by size.
 *
 * @module
 */

import type { RateE8 } from "./money.ts";
import type { Rates, RatesWhen } from "./price.ts";
import { type Unit, UNIT_NAMES } from "./units.ts";

/** Rates in words, by the names that a spelling gives units. */
export interface SpelledRates {
  readonly [name: string]: string | { readonly [size: string]: string };
}

/** How units are called, and how a rate is written. */
export interface Spelling {
  readonly name: (unit: Unit) => string;
  readonly amount: (rate: RateE8) => string;
}

/** The rates in words, in the order of the table of units, sizes in theirs. */
export function spellRates(rates: Rates, { name, amount }: Spelling): SpelledRates {
  const spelled: { [name: string]: string | { readonly [size: string]: string } } = {};
  for (const unit of UNIT_NAMES) {
    const rate = rates[unit];
    if (rate !== undefined) spelled[name(unit)] = amount(rate);
  }
  const bySize = (rates.when ?? []).filter(isBySize)
    .map(({ condition, rates }) => [condition.size, amount(rates.second)] as const)
    .sort(([a], [b]) => a < b ? -1 : 1);
  if (bySize.length > 0) spelled[name("second")] = Object.fromEntries(bySize);
  return spelled;
}

/** The rates that words mean, by the same names. */
export function readRates(
  spelled: { readonly [name: string]: unknown },
  { name, amount }: { readonly name: Spelling["name"]; readonly amount: (text: string) => RateE8 },
): Rates {
  const rates: { -readonly [name in keyof Rates]: Rates[name] } = {};
  for (const unit of UNIT_NAMES) {
    const text = spelled[name(unit)];
    if (typeof text === "string") rates[unit] = amount(text);
    else if (typeof text === "object" && text !== null) {
      rates.when = Object.entries(text as { readonly [size: string]: string })
        .sort(([a], [b]) => a < b ? -1 : 1)
        .map(([size, rate]) => ({ condition: { size }, rates: { [unit]: amount(rate) } }));
    }
  }
  return rates;
}

/** A rate for films of a size. */
function isBySize(
  one: RatesWhen,
): one is RatesWhen & {
  readonly condition: { readonly size: string };
  readonly rates: { readonly second: RateE8 };
} {
  return one.condition.size !== undefined && one.rates.second !== undefined;
}
