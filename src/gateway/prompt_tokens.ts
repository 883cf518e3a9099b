/**
 * Tokens of a prompt by our own count, where the upstream reports none.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { estimateTokensOfAll } from "../metering/estimate_tokens.ts";

/** How many tokens a body has, in the dialect that it is in. */
export function promptTokens(dialect: Dialect, body: Readonly<JsonObject>): number {
  const { texts, otherTokens } = dialect.prompt(body);
  return estimateTokensOfAll(texts) + otherTokens;
}
