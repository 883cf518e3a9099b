/**
 * Which rates hold for a call.
 *
 * @module
 */

import type { Rates, UnitRates } from "./price.ts";
import { type Condition, CONDITIONS, type Terms } from "./terms.ts";
import { SIDES, type Unit } from "./units.ts";
import type { Work } from "./work.ts";

const NAMES = Object.keys(CONDITIONS) as readonly (keyof Condition)[];

/** What was bought, and what its price depends on besides. */
export interface Bought {
  readonly work: Work;
  readonly terms?: Terms | undefined;
  /** How much of everything is paid for, 1 to 99; absent for all of it. */
  readonly percent?: number | undefined;
}

/** The rates that hold for a call of which everything is known: what is not told is not so. */
export function ratesFor(rates: Rates, { terms }: Pick<Bought, "terms">): UnitRates {
  if (rates.when === undefined) return rates;
  let found: UnitRates = rates;
  for (const { condition, rates: others } of rates.when) {
    if (NAMES.every((name) => isMet(condition, name, terms))) found = { ...found, ...others };
  }
  return found;
}

/**
 * The dearest rate that each unit may turn out to have for a call of which only so much is
 * known. Nobody can say which tokens of a prompt will be in which bucket: all of them are
 * taken at the dearest rate of any, and so are those of the output.
 */
export function dearestRates(rates: Rates, facts: Pick<Bought, "terms">): UnitRates {
  if (rates.when !== undefined) return findDearest(rates, facts);
  let known = dearestOfRates.get(rates);
  if (known === undefined) dearestOfRates.set(rates, known = findDearest(rates, facts));
  return known;
}

/** Of rates without conditions: they never change. */
const dearestOfRates = new WeakMap<Rates, UnitRates>();

function findDearest(rates: Rates, { terms }: Pick<Bought, "terms">): UnitRates {
  const most: { -readonly [unit in Unit]?: bigint } = { ...rates };
  for (const { condition, rates: others } of rates.when ?? []) {
    const unmet = NAMES.filter((name) => !isMet(condition, name, terms));
    if (unmet.some((name) => terms?.[name] !== undefined)) continue;
    for (const name in others) {
      const unit = name as Unit;
      const rate = others[unit]!;
      // What holds for certain takes the place of what was dearer.
      if (unmet.length === 0 || rate > (most[unit] ?? 0n)) most[unit] = rate;
    }
  }
  most.input = dearestOf(most, SIDES.prompt);
  most.output = dearestOf(most, SIDES.completion);
  return most;
}

function isMet(condition: Condition, name: keyof Condition, terms: Terms | undefined): boolean {
  return condition[name] === undefined || condition[name] === terms?.[name];
}

/** An absent rate counts as 0. */
function dearestOf(rates: UnitRates, units: readonly Unit[]): bigint {
  let most = 0n;
  for (const unit of units) {
    const rate = rates[unit];
    if (rate !== undefined && rate > most) most = rate;
  }
  return most;
}
