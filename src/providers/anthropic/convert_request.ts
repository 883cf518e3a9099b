/**
 * A caller's body as the upstream gets it: the same, with the model's name swapped, the route's rules
 * applied and the output limit that the call is held for.
 *
 * @module
 */

import { traitsOf } from "../../dialects/anthropic_messages/model_traits.ts";
import { isOwnSeal } from "../../dialects/turns/own_seal.ts";
import { MESSAGE_WORDS } from "../../dialects/anthropic_messages/schemas.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { applyRules, dropFields, setLimit } from "../contract/body_rules.ts";
import type { ProviderCall } from "../contract/provider.ts";

/** Builds the upstream's body. */
export function convertRequest(
  { route, body: asked, outputTokensCap: cap }: ProviderCall,
  stream: boolean,
): JsonObject {
  const rules = route.body;
  const body = withoutOwnSeals(asked);
  applyRules(body, rules);
  body.model = route.upstreamModel;
  // 0 fills the upstream's prompt cache, and writes nothing.
  if (body.max_tokens !== 0) {
    const tokens = cap ?? (body.max_tokens === undefined ? defaultLimit(route) : undefined);
    if (tokens !== undefined) {
      setLimit(body, tokens, { rules, names: MESSAGE_WORDS.limitFields, usual: "max_tokens" });
    }
  }
  if (stream) body.stream = true;
  else if (body.stream !== undefined) body.stream = false;
  dropFields(body, rules);
  return body;
}

/** The body of a request to count its tokens. */
export function convertCount({ route, body: asked }: ProviderCall): JsonObject {
  const body = withoutOwnSeals(asked);
  body.model = route.upstreamModel;
  dropFields(body, route.body);
  return body;
}

/** It has to be said: the most that the model can, which costs nothing where it is not used. */
function defaultLimit({ supports, upstreamModel }: ProviderCall["route"]): number {
  return traitsOf(upstreamModel, supports).maxOutputTokens;
}

/** A copy without the thoughts that another upstream had, which this one takes for forged. */
function withoutOwnSeals(asked: Readonly<JsonObject>): JsonObject {
  const { messages } = asked;
  if (!Array.isArray(messages) || !messages.some(hasOwnSeal)) return { ...asked };
  return {
    ...asked,
    messages: messages.flatMap((message) => {
      if (!hasOwnSeal(message)) return [message];
      const content = message.content.filter((block) => !isSealedByUs(block));
      // The upstream refuses a message without content.
      return content.length === 0 ? [] : [{ ...message, content }];
    }),
  };
}

type Sealed = JsonObject & { readonly content: readonly unknown[] };

function hasOwnSeal(message: unknown): message is Sealed {
  return isObject(message) && Array.isArray(message.content) && message.content.some(isSealedByUs);
}

function isSealedByUs(block: unknown): boolean {
  return isObject(block) && block.type === "thinking" && isOwnSeal(block.signature);
}
