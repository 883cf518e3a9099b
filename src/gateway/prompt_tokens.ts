/**
 * Our own count of a prompt's tokens.
 *
 * @module
 */

import type { Dialect } from "../dialects/base/dialect.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { estimateTokensOfAll } from "../metering/usage_meter.ts";

/** How many tokens a body has, in the dialect that it is in. */
export function promptTokens(dialect: Dialect, body: Readonly<JsonObject>): number {
  const { texts, otherTokens } = dialect.prompt(body);
  return estimateTokensOfAll(texts) + otherTokens;
}
