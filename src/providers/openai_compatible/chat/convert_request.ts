/**
 * The caller's body as an upstream gets it: the same, with the model's name
 * swapped, the route's rules applied and what the gateway itself needs added.
 *
 * @module
 */

import { CHAT_LIMIT_FIELDS, type ChatLimitField } from "../../../dialects/openai_chat/schemas.ts";
import { withoutOwnSignatures } from "../../../dialects/openai/call_signatures.ts";
import { withoutOwnSeals } from "../../../dialects/openai_chat/thought_details.ts";
import { applyRules, dropFields, setLimit } from "../../contract/body_rules.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { isObject } from "../../../domain/json_value.ts";

/** How the body is converted. */
export interface ConvertOptions {
  readonly stream: boolean;
  /** The name under which the upstream knows the output limit; see {@linkcode outputLimitField}. */
  readonly limitField: ChatLimitField;
}

/**
 * Hosts of OpenAI and Azure, whose reasoning models refuse `max_tokens` and whose
 * other models take both.
 */
const NEWER_NAME_HOSTS =
  /^(api\.openai\.com|.*\.openai\.azure\.com|.*\.cognitiveservices\.azure\.com|.*\.services\.ai\.azure\.com)$/;

/**
 * The name under which an upstream at this address most likely knows the output limit.
 * `max_tokens` is what most compatible servers take (Mistral refuses the newer name, Ollama
 * and LM Studio ignore it); OpenAI's and Azure's own hosts get the newer one. Both at once
 * are refused by OpenAI. The provider's setting goes before this, and the route's rules
 * before both: a field that one of them names is known, one that is dropped is not.
 */
export function outputLimitField(baseUrl: string): ChatLimitField {
  return NEWER_NAME_HOSTS.test(new URL(baseUrl).hostname) ? "max_completion_tokens" : "max_tokens";
}

/**
 * Builds the upstream body. Order: the caller's fields, `default` where there is
 * none, `set`, the output limit under its one name and `stream_options`, `drop` last;
 * `model` and `stream` are always the gateway's.
 */
export function convertRequest(call: ProviderCall, options: ConvertOptions): JsonObject {
  const { route } = call;
  const rules = route.body;
  const body: JsonObject = { ...call.body };
  const messages = withoutOwnSeals(withoutOwnSignatures(body.messages));
  if (messages !== body.messages) body.messages = messages;
  applyRules(body, rules);
  body.model = route.upstreamModel;
  if (call.outputTokensCap !== undefined) {
    const usual = options.limitField;
    setLimit(body, call.outputTokensCap, { rules, names: CHAT_LIMIT_FIELDS, usual });
  }
  if (options.stream) {
    body.stream = true;
    const given = isObject(body.stream_options) ? body.stream_options : undefined;
    body.stream_options = { ...given, include_usage: true };
  } else {
    if (body.stream !== undefined) body.stream = false;
    if ("stream_options" in body) delete body.stream_options;
  }
  dropFields(body, rules);
  return body;
}
