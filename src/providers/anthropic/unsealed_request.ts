/**
 * A request once more, without the sealed thoughts that its upstream cannot read: they are another
 * account's or model's, or were altered on their way.
 *
 * @module
 */

import { sealOf } from "../../dialects/anthropic_messages/own_seal.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";

/** Anthropic's words for a signature, or for hidden thoughts, that it has not made. */
const ABOUT_SEALS = /\bsignature\b|redacted_thinking/i;

/**
 * Asks, and once more without sealed thoughts where the upstream says that it cannot read them. What it
 * says of a request without them either is not told: the first refusal is about what the caller sent.
 *
 * @throws {UpstreamError}
 */
export async function orUnsealed<Outcome>(
  body: JsonObject,
  ask: (body: JsonObject) => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await ask(body);
  } catch (error) {
    const unsealed = isAboutSeals(error) ? withoutSeals(body) : undefined;
    if (unsealed === undefined) throw error;
    try {
      return await ask(unsealed);
    } catch (second) {
      throw second instanceof UpstreamError && second.failure === "caller" ? error : second;
    }
  }
}

function isAboutSeals(error: unknown): boolean {
  return error instanceof UpstreamError && error.failure === "caller" &&
    ABOUT_SEALS.test(error.publicMessage ?? "");
}

/** `undefined` where there are none. */
function withoutSeals(body: JsonObject): JsonObject | undefined {
  const { messages } = body;
  if (!Array.isArray(messages) || !messages.some(hasSeal)) return undefined;
  return {
    ...body,
    messages: messages.flatMap((message) => {
      if (!hasSeal(message)) return [message];
      const content = message.content.filter((block) => !isSealed(block));
      // The upstream refuses a message without content.
      return content.length === 0 ? [] : [{ ...message, content }];
    }),
  };
}

type Sealed = JsonObject & { readonly content: readonly unknown[] };

function hasSeal(message: unknown): message is Sealed {
  return isObject(message) && Array.isArray(message.content) && message.content.some(isSealed);
}

function isSealed(block: unknown): boolean {
  return isObject(block) && sealOf(block) !== undefined;
}
