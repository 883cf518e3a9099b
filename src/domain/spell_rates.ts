/**
 * Rates as text: as the catalogue file and lists of prices write them, and as they are
 * stored. What is under no condition stands by itself; conditions stand beside their rates in a
 * list, `when`. An object by size in place of the rate of a second is read too: files are short
 * that way, and older rows have it.
 *
 * @module
 */

import type { RateE8 } from "./money.ts";
import type { PriceVersion, Rates, RatesWhen, Sale, UnitRates } from "./price.ts";
import { type Condition, conditionOf, TERM_NAMES, type TermName } from "./terms.ts";
import { type Unit, UNIT_NAMES, wireName } from "./units.ts";

/** Rates and their conditions in words, by the names that a spelling gives them. */
export interface SpelledRates {
  readonly [name: string]:
    | string
    | readonly { readonly [name: string]: string | number }[];
}

/** What units and conditions are called, and how a rate is written. */
export interface Spelling {
  readonly unit: (name: Unit) => string;
  readonly term: (name: TermName) => string;
  readonly contextAbove: string;
  readonly amount: (rate: RateE8) => string;
}

/** The names of the catalogue file and of lists of prices. */
export const WIRE_NAMES = {
  unit: wireName,
  term: (name: TermName) => conditionOf(name).wire,
  contextAbove: "context_above",
} as const;

/** The names of the code itself, under which prices are stored. */
export const OWN_NAMES = {
  unit: (name: Unit): string => name,
  term: (name: TermName): string => name,
  contextAbove: "contextAbove",
} as const;

/** The rates in words, units in the order of their table. */
export function spellRates(rates: Rates, spelling: Spelling): SpelledRates {
  const when = rates.when?.map((one) => spellWhen(one, spelling));
  return { ...spellUnits(rates, spelling), ...(when !== undefined && { when }) };
}

function spellUnits(rates: UnitRates, { unit, amount }: Spelling): { [name: string]: string } {
  const spelled: { [name: string]: string } = {};
  for (const name of UNIT_NAMES) {
    const rate = rates[name];
    if (rate !== undefined) spelled[unit(name)] = amount(rate);
  }
  return spelled;
}

function spellWhen({ condition, rates }: RatesWhen, spelling: Spelling) {
  return { ...spellCondition(condition, spelling), ...spellUnits(rates, spelling) };
}

/** What has to be so, by its names. */
export function spellCondition(
  condition: Condition,
  spelling: Pick<Spelling, "term" | "contextAbove">,
): { readonly [name: string]: string | number } {
  const spelled: { [name: string]: string | number } = {};
  for (const name of TERM_NAMES) {
    const value = condition[name];
    if (value !== undefined) spelled[spelling.term(name)] = value;
  }
  const { contextAbove } = condition;
  if (contextAbove !== undefined) spelled[spelling.contextAbove] = contextAbove;
  return spelled;
}

/** How words are read. */
export type Reading = Omit<Spelling, "amount"> & { readonly amount: (text: string) => RateE8 };

/** Words as they come: checked by a schema, or written by {@linkcode spellRates}. */
interface Words {
  readonly [name: string]: unknown;
}

/** The rates that words mean, by the same names. */
export function readRates(words: Words, reading: Reading): Rates {
  const seconds = words[reading.unit("second")];
  const bySize = typeof seconds !== "object" || seconds === null ? [] : Object.entries(seconds)
    .sort(([a], [b]) => a < b ? -1 : 1)
    .map(([size, rate]) => ({ condition: { size }, rates: { second: reading.amount(rate) } }));
  const others = (words.when as readonly Words[] | undefined ?? []).map((one) => ({
    condition: readCondition(one, reading),
    rates: readUnits(one, reading),
  }));
  const when = [...bySize, ...others];
  return { ...readUnits(words, reading), ...(when.length > 0 && { when }) };
}

function readUnits(words: Words, { unit, amount }: Reading): UnitRates {
  const rates: { -readonly [unit in Unit]?: RateE8 } = {};
  for (const name of UNIT_NAMES) {
    const text = words[unit(name)];
    if (typeof text === "string") rates[name] = amount(text);
  }
  return rates;
}

function readCondition(words: Words, { term, contextAbove }: Reading): Condition {
  const condition: { [name: string]: unknown } = {};
  for (const name of TERM_NAMES) {
    const value = words[term(name)];
    if (value !== undefined) condition[name] = value;
  }
  if (words[contextAbove] !== undefined) condition.contextAbove = words[contextAbove];
  return condition;
}

/**
 * Whether two versions price everything alike, by value: version numbers do not
 * count, a rate that is absent equals only an absent rate (not 0).
 */
export function samePrices(one: PriceVersion, other: PriceVersion): boolean {
  return one.routeId === other.routeId && one.currency === other.currency &&
    sameRates(one.cost, other.cost) && sameSale(one.sale, other.sale);
}

function sameSale(one: Sale | undefined, other: Sale | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  if (one.kind === "markup") return other.kind === "markup" && one.factorE8 === other.factorE8;
  if (one.kind === "rates") return other.kind === "rates" && sameRates(one.rates, other.rates);
  return other.kind === "free";
}

function sameRates(one: Rates | undefined, other: Rates | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return textOf(one) === textOf(other);
}

/** Equal rates are equal text. */
function textOf(rates: Rates): string {
  return JSON.stringify(spellRates(rates, { ...OWN_NAMES, amount: String }));
}
