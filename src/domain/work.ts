/**
 * What a call bought: counts by unit, in disjoint buckets. Tokens read from a cache
 * are not among `input`, those spent on reasoning not among `output`; totals such as
 * OpenAI's are made of them where an answer is written.
 *
 * @module
 */

import { SIDES, type Unit, UNIT_NAMES, unitOf, wireName } from "./units.ts";

/** Counts of one call, non-negative integers; what is absent is 0. A call is one `request` anyway. */
export type Work = { readonly [unit in Exclude<Unit, "request">]?: number };

type MutableWork = { -readonly [unit in keyof Work]: Work[unit] };

/** Where the counts come from: the upstream, our tokenizer, or no work was done. */
export type UsageSource = "reported" | "estimated" | "none";

/** Nothing at all: what a released call has bought. */
export const NO_WORK: Work = Object.freeze({});

/** All tokens that were read. */
export function promptTokens(work: Work): number {
  return sumOf(work, SIDES.prompt);
}

/** All tokens that were written. */
export function completionTokens(work: Work): number {
  return sumOf(work, SIDES.completion);
}

function sumOf(work: Work, units: readonly (keyof Work)[]): number {
  let sum = 0;
  for (const unit of units) sum += work[unit] ?? 0;
  return sum;
}

/** Counts by the names that files have for units, without what is 0. */
export function namedWork(work: Work): { [unit: string]: number } {
  return Object.fromEntries(
    UNIT_NAMES.flatMap((unit) => {
      const count = work[unit as keyof Work] ?? 0;
      return count === 0 ? [] : [[wireName(unit), count]];
    }),
  );
}

/** Both together. */
export function addWork(one: Work, other: Work): Work {
  const sum: MutableWork = { ...one };
  for (const name in other) {
    const unit = name as keyof Work;
    sum[unit] = (sum[unit] ?? 0) + other[unit]!;
  }
  return sum;
}

/** Token counts that stand inside each other, as OpenAI and stored rows have them. */
export interface NestedTokens {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of `promptTokens`, those read from the upstream's prompt cache. */
  readonly cachedTokens?: number;
  /** Of `promptTokens`, those written to the upstream's prompt cache. */
  readonly cacheWriteTokens?: number;
  /** Of `completionTokens`, those spent on reasoning. */
  readonly reasoningTokens?: number;
}

/**
 * The buckets of counts that stand inside each other. A part that is larger than what is
 * left of its whole is cut to that, so that the buckets are never more than the totals.
 *
 * @param parts Further parts of the two totals.
 */
export function workOfTokens(tokens: NestedTokens, parts: Work = NO_WORK): Work {
  const work: MutableWork = {};
  let input = tokens.promptTokens;
  let output = tokens.completionTokens;
  // Most calls have none of these, and what is absent costs nothing to price and to store.
  const take = (unit: keyof Work, count: number | undefined) => {
    if (count === undefined || count === 0) return;
    const { side } = unitOf(unit);
    if (side === undefined) return;
    const isPrompt = side === "prompt";
    const taken = Math.min(count, isPrompt ? input : output);
    if (isPrompt) input -= taken;
    else output -= taken;
    if (taken > 0) work[unit] = taken;
  };
  take("cachedInput", tokens.cachedTokens);
  take("cacheWrite", tokens.cacheWriteTokens);
  take("reasoning", tokens.reasoningTokens);
  for (const unit in parts) take(unit as keyof Work, parts[unit as keyof Work]);
  return { input, output, ...work };
}
