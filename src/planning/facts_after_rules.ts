/**
 * The facts of a request as a route's rules make it: what they set, default or drop may change what
 * it costs.
 *
 * @module
 */

import type { Dialect, SizedBody } from "../dialects/base/dialect.ts";
import { DIALECTS } from "../dialects/registry.ts";
import type { BodyRules, Route } from "../domain/catalogue.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { isNativeOn } from "../dialects/output_limit.ts";
import type { RequestFacts } from "../domain/request_facts.ts";
import { applyRules, dropFields } from "../providers/contract/body_rules.ts";

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
  const { stream } = facts;
  if (isNativeOn(supports, dialect.capability)) {
    return dialect.facts({ ...request, body: ruled(request.body, rules) }, stream);
  }
  const added = DIALECTS.openai_chat.facts({ body: ruled({}, rules), bodyBytes: 0 }, stream);
  return added.isMedia === true ? { ...facts, isMedia: true } : facts;
}

function ruled(asked: Readonly<JsonObject>, rules: BodyRules): JsonObject {
  const body = { ...asked };
  applyRules(body, rules);
  dropFields(body, rules);
  return body;
}
