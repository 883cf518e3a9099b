/**
 * Which rates hold for a call, and which routes count as priced.
 *
 * @module
 */

import { type Rates, saleBasis, type UnitRates } from "./price.ts";
import {
  type Condition,
  conditionOf,
  TERM_NAMES,
  type TermName,
  type Terms,
  videoTerms,
} from "./terms.ts";
import { SIDES, type Unit, UNIT_NAMES, unitOf } from "./units.ts";
import { NO_WORK, promptTokens, type Work } from "./work.ts";
import { kindOf, makesVideos, type ModelKind } from "./capabilities.ts";
import type { Route } from "./catalogue.ts";

/** What was bought, and what its price depends on besides. */
export interface Bought {
  readonly work: Work;
  readonly terms?: Terms | undefined;
  /** How much of everything is paid for, 1 to 99; absent for all of it. */
  readonly percent?: number | undefined;
}

/** The rates that hold for a call of which everything is known: what is not told is not so. */
export function ratesFor(rates: Rates, bought: Pick<Bought, "work" | "terms">): UnitRates {
  if (rates.when === undefined) return rates;
  let found: UnitRates = rates;
  for (const { condition, rates: others } of rates.when) {
    if (isMet(condition, bought)) found = { ...found, ...others };
  }
  return found;
}

function isMet(condition: Condition, { work, terms }: Pick<Bought, "work" | "terms">): boolean {
  const { contextAbove } = condition;
  return (contextAbove === undefined || promptTokens(work) > contextAbove) &&
    TERM_NAMES.every((name) => condition[name] === undefined || condition[name] === terms?.[name]);
}

/** What is known of a call before it is made. */
export interface KnownFacts {
  readonly terms?: Terms | undefined;
  /** What only the answer will tell of them; absent: nothing. */
  readonly openTerms?: readonly TermName[] | undefined;
  /** No prompt has more tokens. */
  readonly promptTokensBound: number;
  /** Whether it has to do with more than text; absent: it has not. */
  readonly isMedia?: boolean | undefined;
}

/** Of rates without conditions and calls of text alone: they never change. */
const dearestOfText = new WeakMap<Rates, UnitRates>();

/**
 * The dearest rate that each unit may turn out to have for a call of which only so much is
 * known. Nobody can say which tokens of a prompt will be in which bucket: all of them are
 * taken at the dearest rate of any, and so are those of the output.
 */
export function dearestRates(rates: Rates, facts: KnownFacts): UnitRates {
  if (rates.when !== undefined || facts.isMedia === true) return findDearest(rates, facts);
  let known = dearestOfText.get(rates);
  if (known === undefined) dearestOfText.set(rates, known = findDearest(rates, facts));
  return known;
}

function findDearest(rates: Rates, facts: KnownFacts): UnitRates {
  const most: { -readonly [unit in Unit]?: bigint } = {};
  for (const unit of UNIT_NAMES) {
    if (rates[unit] !== undefined) most[unit] = rates[unit];
  }
  for (const { condition, rates: others } of rates.when ?? []) {
    const chance = chanceOf(condition, facts);
    for (const name in others) {
      const unit = name as Unit;
      const rate = others[unit]!;
      // What holds for certain takes the place of what was dearer.
      if (chance === "sure" || (chance === "open" && rate > (most[unit] ?? 0n))) most[unit] = rate;
    }
  }
  most.input = dearestOf(most, SIDES.prompt, facts);
  most.output = dearestOf(most, SIDES.completion, facts);
  return most;
}

/** Whether a condition will hold, as far as that can be said. */
function chanceOf(condition: Condition, facts: KnownFacts): "sure" | "open" | "none" {
  const { contextAbove } = condition;
  if (contextAbove !== undefined && facts.promptTokensBound <= contextAbove) return "none";
  let isSure = contextAbove === undefined;
  for (const name of TERM_NAMES) {
    if (condition[name] === undefined) continue;
    const isOpen = facts.openTerms?.includes(name) === true;
    if (isOpen || conditionOf(name).isReported === true) isSure = false;
    else if (condition[name] !== facts.terms?.[name]) return "none";
  }
  return isSure ? "sure" : "open";
}

/** An absent rate counts as 0. */
function dearestOf(rates: UnitRates, units: readonly Unit[], { isMedia }: KnownFacts): bigint {
  let most = 0n;
  for (const unit of units) {
    const rate = rates[unit];
    if (rate === undefined || rate <= most) continue;
    if (isMedia === true || unitOf(unit).isMedia !== true) most = rate;
  }
  return most;
}

/**
 * Whether a route has the prices its model kind needs, of a film for the size, or where
 * none is named for any size on offer. A route sold for free is always priced. A
 * missing price is not a price of 0.
 */
export function isPriced(
  route: Route,
  kind: ModelKind,
  size?: string,
): boolean {
  const { prices, video } = route;
  if (prices.sale?.kind === "free") return true;
  const rates = saleBasis(prices);
  if (rates === undefined) return false;
  const sizes = size === undefined ? video?.sizes : [size];
  // Asked of every route for every call: a loop makes no function anew.
  for (const units of kindOf(kind).buys) {
    let isWhole = true;
    for (const unit of units) {
      if (rates[unit] === undefined && !isPricedBySize(rates, unit, kind, sizes)) isWhole = false;
    }
    if (isWhole) return true;
  }
  return false;
}

/** Whether a wildcard's route has prices for some of the names that it stands for. */
export function hasNamedPrices({ namedPrices = [] }: Route): boolean {
  return namedPrices.length > 0;
}

/** Of the lists of units that a kind is priced by the one that rates have, by its place; `undefined` for none. */
export function listPriced(rates: Rates, kind: ModelKind): number | undefined {
  const at = kindOf(kind).buys.findIndex((units) =>
    units.every((unit) => rates[unit] !== undefined)
  );
  return at === -1 ? undefined : at;
}

function isPricedBySize(
  rates: Rates,
  unit: Unit,
  kind: ModelKind,
  sizes: readonly string[] | undefined,
): boolean {
  if (sizes !== undefined) return sizes.some((size) => hasRate(rates, unit, size));
  return makesVideos(kind) && rates.when?.some(({ rates }) => rates[unit] !== undefined) === true;
}

/** Whether films of a size have a rate for a unit. */
export function hasRate(rates: Rates, unit: Unit, size: string): boolean {
  return ratesFor(rates, { work: NO_WORK, terms: videoTerms(size) })[unit] !== undefined;
}

/** The sizes that rates name. */
export function ratedSizes(rates: Rates | undefined): readonly string[] {
  return (rates?.when ?? []).flatMap(({ condition: { size } }) => size === undefined ? [] : [size]);
}
