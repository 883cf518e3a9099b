/**
 * What a route's rules make of a request: its facts, as what they set, default or drop may change what
 * it costs, and the most tokens that its prompt can have there, for its hold.
 *
 * @module
 */

import type { Dialect, SizedBody } from "../dialects/base/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { BodyRules, Route } from "../domain/catalogue.ts";
import { FETCHED_TOKENS } from "../dialects/base/prompt_size.ts";
import { mostSearches } from "../dialects/openai_chat/searches.ts";
import { offersSearch } from "../dialects/gemini/searches.ts";
import { asCount, asObject, type JsonObject } from "../domain/json_value.ts";
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
    ? withVendorsRules(
      dialect.facts({ ...request, body: ruled(request.body, rules) }, facts.stream),
      rules,
    )
    : factsWithRules(facts, rules);
}

/** Searches of an answer whose request names no bound for them. */
const USUAL_SEARCHES = 10;

/**
 * What rules set in other words than the caller's: Google's search and its choices, and of callers that do
 * not speak chat the searches of that.
 */
function withVendorsRules(facts: RequestFacts, rules: BodyRules): RequestFacts {
  const { searches: googles, chatSearches, choices } = vendorsRules(rules);
  const searches = facts.capability === "chat" ? googles : googles + chatSearches;
  if (searches === 0 && choices <= facts.choices) return facts;
  return { ...withSearches(facts, searches), choices: Math.max(facts.choices, choices) };
}

/** With searches that the rules of a route have its upstream make. */
function withSearches(facts: RequestFacts, searches: number): RequestFacts {
  if (searches === 0) return facts;
  const { likely = {}, most = {} } = facts.expected ?? {};
  return {
    ...facts,
    isMedia: true,
    promptTokensBound: facts.promptTokensBound + FETCHED_TOKENS,
    expected: { likely, most: { ...most, search: (most.search ?? 0) + searches } },
  };
}

interface VendorsRules {
  readonly searches: number;
  readonly chatSearches: number;
  readonly choices: number;
}

/** They never change. */
const rulesOfVendors = new WeakMap<BodyRules, VendorsRules>();

function vendorsRules(rules: BodyRules): VendorsRules {
  let read = rulesOfVendors.get(rules);
  if (read === undefined) {
    const isDropped = rules.drop.includes("tools");
    const hasSearch = offersSearch(rules.set.tools) || offersSearch(rules.default.tools);
    const { candidateCount } = asObject(rules.set.generationConfig) ?? {};
    read = {
      searches: hasSearch && !isDropped ? USUAL_SEARCHES : 0,
      chatSearches: mostSearches(ruled({}, rules)),
      choices: asCount(candidateCount) ?? 1,
    };
    rulesOfVendors.set(rules, read);
  }
  return read;
}

/** What counts of a route's rules beside a request whose body is not there, but for its tier. */
export function factsWithRules(facts: RequestFacts, rules: BodyRules): RequestFacts {
  if (!capabilityOf(facts.capability).writesTokens) return facts;
  const body = ruled({ service_tier: facts.terms?.serviceTier }, rules);
  const searches = isWithoutTools(facts, rules) ? { expected: undefined } : {};
  const { terms, isMedia } = DIALECTS.openai_chat.facts({ body, bodyBytes: 0 }, facts.stream);
  return withVendorsRules({
    ...facts,
    ...searches,
    terms,
    isMedia: facts.isMedia === true || isMedia === true,
    promptTokensBound: facts.promptTokensBound - tokensNotFetched(facts, rules),
  }, rules);
}

/** What nobody fetches where no tool is left that could. */
function tokensNotFetched(facts: RequestFacts, rules: BodyRules): number {
  return isWithoutTools(facts, rules) ? facts.fetchedTokensBound ?? 0 : 0;
}

/** Whether a route leaves out all tools that only an upstream could run. */
function isWithoutTools({ serverTools }: RequestFacts, { dropTools = [] }: BodyRules): boolean {
  return serverTools?.every((type) => matchesAny(dropTools, type)) ?? false;
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
