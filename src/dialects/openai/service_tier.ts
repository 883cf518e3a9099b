/**
 * The service tier of requests and answers: prices may depend on it.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { CONDITIONS, MOST_TERM_CHARACTERS, NO_TERMS, type Terms } from "../../domain/terms.ts";

/** An upstream that is left to choose, and what it usually has. */
const USUAL: ReadonlySet<string> = new Set(CONDITIONS.serviceTier.usual);

/**
 * The tier that a body names, {@linkcode NO_TERMS} for the usual one and for what no price can name; `undefined` where it names none, which says nothing of what serves.
 */
export function tierOf({ service_tier: tier }: Readonly<JsonObject>): Terms | undefined {
  if (typeof tier !== "string") return undefined;
  return USUAL.has(tier) || tier.length > MOST_TERM_CHARACTERS ? NO_TERMS : { serviceTier: tier };
}
