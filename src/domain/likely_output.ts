/**
 * How many output tokens a request is expected to need, before anyone knows.
 *
 * @module
 */

import { type Capability, capabilityOf } from "./capabilities.ts";

/** Output tokens assumed, per choice, where the caller asked for no maximum. */
export const LIKELY_OUTPUT_TOKENS = 512;

/** What the expectation depends on. */
export interface OutputFacts {
  readonly capability: Capability;
  /** Output limit the caller asked for, per choice; `undefined` if none. */
  readonly maxOutputTokens: number | undefined;
  /** How many choices (`n`); the limit applies to each. */
  readonly choices: number;
}

/**
 * Output tokens over all choices: the requested maximum, else
 * {@linkcode LIKELY_OUTPUT_TOKENS} each. Only chat and responses write tokens.
 * Comparing prices and reserving tokens per minute both use this one figure.
 */
export function likelyOutputTokens(facts: OutputFacts): number {
  const { writesTokens, usualOutput = LIKELY_OUTPUT_TOKENS } = capabilityOf(facts.capability);
  if (!writesTokens) return 0;
  return (facts.maxOutputTokens ?? usualOutput) * facts.choices;
}
