/**
 * What a request says of the thoughts that a model may have before it answers.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import { isObject, type JsonObject } from "../domain/json_value.ts";

/** Fields by which vendors are told how much to think, or not to; and whether an object there is about nothing else. */
const FIELDS: readonly (readonly [field: string, isAllAboutIt: boolean])[] = [
  ["reasoning_effort", false],
  ["reasoning", true],
  ["thinking", true],
  ["thinking_budget", false],
  ["enable_thinking", false],
  ["chat_template_kwargs", false],
];
/** What says so in such an object: other members say how thoughts are shown. */
const SWITCHES = [
  "effort",
  "type",
  "enabled",
  "max_tokens",
  "budget_tokens",
  "thinking_budget",
  "enable_thinking",
  "thinking",
] as const;
/** Values that mean no thoughts. */
const OFF: ReadonlySet<unknown> = new Set([false, 0, "none", "disabled"]);

/**
 * Whether a request, as a route's rules leave it, says how much to think; and if so, to think at
 * all. Of two fields that say otherwise the upstream may know only the one that says yes.
 */
export function toldToThink(
  body: Readonly<JsonObject>,
  { body: { set, default: given, drop } }: Route,
): boolean | undefined {
  let told: boolean | undefined;
  for (const [field, isAllAboutIt] of FIELDS) {
    if (drop.includes(field)) continue;
    const asked = body[field] === undefined ? given[field] : body[field];
    const word = wordOf(field in set ? set[field] : asked, isAllAboutIt);
    if (word === true) return true;
    told ??= word;
  }
  return told;
}

/** Whether the operator pays or sells thoughts at a rate of their own: then the route has them. */
export function pricesThoughts({ prices: { cost, sale } }: Route): boolean {
  return cost?.reasoning !== undefined ||
    (sale?.kind === "rates" && sale.rates.reasoning !== undefined);
}

function wordOf(value: unknown, isAllAboutIt: boolean): boolean | undefined {
  if (!isSaid(value)) return undefined;
  if (!isObject(value)) return !OFF.has(value);
  const switches = SWITCHES.map((name) => value[name]).filter(isSaid);
  if (switches.length > 0) return switches.some((word) => !OFF.has(word));
  return isAllAboutIt && Object.values(value).some(isSaid) ? true : undefined;
}

/** A `null` leaves it to the model, as if it were not there. */
function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null;
}
