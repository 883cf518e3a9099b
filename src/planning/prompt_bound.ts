/**
 * The most tokens that a prompt can have on a route, for its hold.
 *
 * @module
 */

import { capabilityOf } from "../domain/capabilities.ts";
import type { BodyRules, Route } from "../domain/catalogue.ts";
import type { RequestFacts } from "../domain/request_facts.ts";

/** What the rules of a route add to a body, bytes of JSON. They never change. */
const bytesOfRules = new WeakMap<BodyRules, number>();

/**
 * The bound of the request itself and of what the route's rules add to it, or the
 * route's context where that is less: no model reads more at once. (Where a request
 * carries several prompts, each may fill it.)
 */
export function promptBound({ body, supports }: Route, facts: RequestFacts): number {
  const { contextTokens } = supports;
  const bound = facts.promptTokensBound + addedBytes(body);
  if (contextTokens === undefined || capabilityOf(facts.capability).hasManyPrompts) return bound;
  return Math.min(bound, contextTokens);
}

function addedBytes(rules: BodyRules): number {
  let bytes = bytesOfRules.get(rules);
  if (bytes === undefined) {
    bytes = [rules.set, rules.default].reduce((sum, values) => sum + jsonBytes(values), 0);
    bytesOfRules.set(rules, bytes);
  }
  return bytes;
}

function jsonBytes(values: BodyRules["set"]): number {
  for (const _field in values) return new TextEncoder().encode(JSON.stringify(values)).length;
  return 0;
}
