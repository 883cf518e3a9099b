/**
 * The caller's body of the Responses API as an upstream that has it gets it.
 *
 * @module
 */

import { RESPONSE_LIMIT_FIELD } from "../../../dialects/openai_responses/schemas.ts";
import { isObject, type JsonObject } from "../../../domain/json_value.ts";
import { applyRules, dropFields } from "../../contract/body_rules.ts";
import type { ProviderCall } from "../../contract/provider.ts";
import { portableInput } from "./portable_input.ts";

const SEALED = "reasoning.encrypted_content";

/**
 * Builds the upstream body. Order: the caller's fields, `default` where there is
 * none, `set`, the output limit, `drop` last; `model` and `stream` are
 * always the gateway's, and the upstream keeps nothing.
 *
 * A request with `reasoning` also asks for the reasoning sealed, which is the only
 * form in which the next turn can bring it back. Not others: OpenAI's models that
 * do not reason refuse to be asked for it.
 *
 * @throws {UpstreamError} `caller` for input that refers to what no upstream keeps.
 */
export function convertResponseRequest(
  call: ProviderCall,
  { stream }: { readonly stream: boolean },
): JsonObject {
  const { route, outputTokensCap } = call;
  const rules = route.body;
  const body: JsonObject = { ...call.body };
  applyRules(body, rules);
  body.model = route.upstreamModel;
  if (Array.isArray(body.input)) body.input = portableInput(body.input);
  if (outputTokensCap !== undefined) body[RESPONSE_LIMIT_FIELD] = outputTokensCap;
  if (isObject(body.reasoning)) body.include = withSealed(body.include);
  body.store = false;
  body.stream = stream;
  if (!stream) delete body.stream_options;
  dropFields(body, rules);
  return body;
}

function withSealed(include: unknown): unknown[] {
  const asked = Array.isArray(include) ? include : [];
  return asked.includes(SEALED) ? asked : [...asked, SEALED];
}
