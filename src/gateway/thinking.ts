/**
 * What a request says of the thoughts that a model may have before it answers.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import { isObject } from "../providers/json_value.ts";
import type { JsonObject } from "../providers/provider.ts";

/** Fields by which vendors are told how much to think, or not to. */
const FIELDS = [
  "reasoning_effort",
  "reasoning",
  "thinking",
  "thinking_budget",
  "enable_thinking",
  "chat_template_kwargs",
] as const;
/** Values of such fields, or of fields in them, that mean no thoughts. */
const OFF: ReadonlySet<unknown> = new Set([null, false, 0, "none", "disabled"]);

/** Whether a request, as a route's rules leave it, says how much to think; and if so, to think at all. */
export function toldToThink(
  body: Readonly<JsonObject>,
  { body: rules }: Route,
): boolean | undefined {
  return wordOf(rules.set) ?? wordOf(body) ?? wordOf(rules.default);
}

/** Whether the operator pays or sells thoughts at a rate of their own: then the route has them. */
export function pricesThoughts({ prices: { cost, sale } }: Route): boolean {
  return cost?.reasoning !== undefined ||
    (sale?.kind === "rates" && sale.rates.reasoning !== undefined);
}

function wordOf(body: Readonly<JsonObject>): boolean | undefined {
  let told: boolean | undefined;
  for (const field of FIELDS) {
    const value = body[field];
    if (value === undefined) continue;
    const isOff = OFF.has(value) || (isObject(value) && Object.values(value).some(isOffValue));
    if (!isOff) return true;
    told = false;
  }
  return told;
}

function isOffValue(value: unknown): boolean {
  return OFF.has(value);
}
