/**
 * Signatures of the thoughts that led to a call, which some models want back with it: carried as
 * Google's own chat completions do, for clients that send back what they do not know.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { isOwnSeal } from "../turns/own_seal.ts";

/** The fields of a call that carry it. */
export function carriedSignature(signature: string): JsonObject {
  return { extra_content: { google: { thought_signature: signature } } };
}

/** The signature that a call carries. */
export function signatureOf(call: Readonly<JsonObject>): string | undefined {
  if (call.extra_content === undefined) return undefined;
  const { google } = asObject(call.extra_content) ?? {};
  return nonEmptyString(asObject(google)?.thought_signature);
}

/** The one in the assistant's last message. */
export function lastSignature(messages: unknown): string | undefined {
  const all = asArray(messages);
  for (let at = all.length - 1; at >= 0; at--) {
    const message = asObject(all[at]);
    if (message?.role !== "assistant") continue;
    for (const call of asArray(message.tool_calls)) {
      const signature = signatureOf(asObject(call) ?? {});
      if (signature !== undefined) return signature;
    }
    return undefined;
  }
  return undefined;
}

/**
 * The messages without signatures that were sealed here, which are for the upstream alone that they came
 * from; those of Google's own API stay. The same list where there are none.
 */
export function withoutOwnSignatures(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasOwnSignature)) return messages;
  return messages.map((message) =>
    hasOwnSignature(message)
      ? { ...message, tool_calls: message.tool_calls.map(withoutSignature) }
      : message
  );
}

type Signed = JsonObject & { readonly tool_calls: readonly unknown[] };

function hasOwnSignature(message: unknown): message is Signed {
  return isObject(message) && Array.isArray(message.tool_calls) &&
    message.tool_calls.some(isSealedByUs);
}

function isSealedByUs(call: unknown): call is JsonObject {
  return isObject(call) && isOwnSeal(signatureOf(call));
}

function withoutSignature(call: unknown): unknown {
  if (!isSealedByUs(call)) return call;
  const { extra_content: _, ...rest } = call;
  return rest;
}
