/**
 * What seals thoughts in a conversation.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { carriedDialect, isOwnSeal } from "../base/own_seal.ts";

/** What seals a block of thoughts for its upstream alone; `undefined` of any other block. */
export function sealOf({ type, signature, data }: JsonObject): string | undefined {
  const seal = type === "redacted_thinking" ? data : type === "thinking" ? signature : undefined;
  return isOwnSeal(seal) && carriedDialect(seal) === undefined ? undefined : nonEmptyString(seal);
}

/** The newest seal in a conversation. */
export function newestSeal(messages: unknown): string | undefined {
  const all = asArray(messages);
  for (let at = all.length - 1; at >= 0; at--) {
    const message = asObject(all[at]);
    if (message?.role !== "assistant") continue;
    const seal = lastSeal(message.content);
    if (seal !== undefined) return seal;
  }
  return undefined;
}

/** The newest seal in an answer. */
export function lastSeal(content: unknown): string | undefined {
  return asArray(content).map((block) => sealOf(asObject(block) ?? {}))
    .findLast((seal) => seal !== undefined);
}
