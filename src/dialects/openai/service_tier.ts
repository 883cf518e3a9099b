/**
 * The service tier of requests and answers: prices may depend on it.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Terms } from "../../domain/terms.ts";

/** What is no tier of its own: an upstream that is left to choose, and what it usually has. */
const USUAL: ReadonlySet<unknown> = new Set(["auto", "default"]);

/** The tier that a body names; `undefined` for the usual one, as nearly all do. */
export function tierOf({ service_tier: tier }: Readonly<JsonObject>): Terms | undefined {
  return typeof tier !== "string" || USUAL.has(tier) ? undefined : { serviceTier: tier };
}
