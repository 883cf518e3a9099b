/**
 * The service tier of requests and answers: prices may depend on it.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { CONDITIONS, MOST_TERM_CHARACTERS, type Terms } from "../../domain/terms.ts";

/** An upstream that is left to choose, and what it usually has. */
const USUAL: ReadonlySet<string> = new Set(CONDITIONS.serviceTier.usual);

/** The tier that a body names; `undefined` for the usual one, as nearly all do, and for what no price can name. */
export function tierOf({ service_tier: tier }: Readonly<JsonObject>): Terms | undefined {
  if (typeof tier !== "string" || USUAL.has(tier)) return undefined;
  return tier.length > MOST_TERM_CHARACTERS ? undefined : { serviceTier: tier };
}
