/**
 * What a route's rules make of a request: its facts, as what they set, default or drop may change what
 * it costs, and the most tokens that its prompt can have there, for its hold.
 *
 * @module
 */

import type { Dialect, SizedBody } from "../dialects/base/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { BodyRules, Route } from "../domain/catalogue.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { isNativeOn } from "../dialects/output_limit.ts";
import { matchesAny } from "../domain/name_patterns.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import { applyRules, dropFields } from "../providers/contract/body_rules.ts";
import { capabilityOf } from "../domain/capabilities.ts";

/**
 * The facts of a request for an answer. Where the route is asked in chat's dialect instead of the
 * caller's, rules are of a body that is not written yet: what they say counts beside the request.
 */
export function answerFactsAfter(
  { dialect, request, facts }: {
    readonly dialect: Dialect;
    readonly request: SizedBody;
    readonly facts: RequestFacts;
  },
  { body: rules, supports }: Route,
): RequestFacts {
  return isNativeOn(supports, dialect.capability)
    ? dialect.facts({ ...request, body: ruled(request.body, rules) }, facts.stream)
    : factsWithRules(facts, rules);
}

/** What counts of a route's rules beside a request whose body is not there, but for its tier. */
export function factsWithRules(facts: RequestFacts, rules: BodyRules): RequestFacts {
  if (!capabilityOf(facts.capability).writesTokens) return facts;
  const body = ruled({ service_tier: facts.terms?.serviceTier }, rules);
  const { terms, isMedia } = DIALECTS.openai_chat.facts({ body, bodyBytes: 0 }, facts.stream);
  return {
    ...facts,
    terms,
    isMedia: facts.isMedia === true || isMedia === true,
    promptTokensBound: facts.promptTokensBound - tokensNotFetched(facts, rules),
  };
}

/** What nobody fetches where no tool is left that could. */
function tokensNotFetched(
  { serverTools, fetchedTokensBound = 0 }: RequestFacts,
  { dropTools = [] }: BodyRules,
): number {
  const isDropped = serverTools?.every((type) => matchesAny(dropTools, type)) ?? false;
  return isDropped ? fetchedTokensBound : 0;
}

function ruled(asked: Readonly<JsonObject>, rules: BodyRules): JsonObject {
  const body = { ...asked };
  applyRules(body, rules);
  dropFields(body, rules);
  return body;
}

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
