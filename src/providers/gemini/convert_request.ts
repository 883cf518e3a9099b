/**
 * A request's body as the upstream gets it: with the route's rules and the output limit that the call is
 * held for.
 *
 * @module
 */

import { CHAT_LIMIT_FIELDS } from "../../dialects/openai_chat/schemas.ts";
import { asObject, type JsonObject } from "../../domain/json_value.ts";
import { applyRules, dropFields } from "../contract/body_rules.ts";
import type { ProviderCall } from "../contract/provider.ts";

const CONFIG = "generationConfig";
const LIMIT = "maxOutputTokens";

/** What the operator says for all routes. */
export interface RequestDefaults {
  readonly safetySettings: readonly JsonObject[] | undefined;
}

/**
 * Builds the body. Of `generationConfig` a rule says what it names, and leaves the rest; a limit under
 * chat's names is the call's cap already.
 */
export function convertRequest(
  { route, body: asked, outputTokensCap: cap }: ProviderCall,
  { safetySettings }: RequestDefaults,
): JsonObject {
  const rules = route.body;
  const body: JsonObject = {
    ...(safetySettings !== undefined && { safetySettings }),
    ...asked,
  };
  const config: JsonObject = {
    ...asObject(rules.default[CONFIG]),
    ...asObject(asked[CONFIG]),
    ...asObject(rules.set[CONFIG]),
    ...(cap !== undefined && { [LIMIT]: cap }),
  };
  applyRules(body, rules);
  for (const field of CHAT_LIMIT_FIELDS) delete body[field];
  for (const field of rules.drop) delete config[field];
  if (Object.keys(config).length > 0) body[CONFIG] = config;
  dropFields(body, rules, []);
  return body;
}
