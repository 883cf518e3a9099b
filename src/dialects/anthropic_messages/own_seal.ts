/**
 * The signature of thoughts that are not from an upstream of this dialect: clients drop thoughts that
 * have none, and no such upstream may be shown them.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";

const PREFIX = "tg1.";

/** The signature of a block of thoughts that was converted. */
export function ownSeal(of: string): string {
  return `${PREFIX}${of}`;
}

/** What seals a block of thoughts for its upstream alone; `undefined` of any other block, and of ours. */
export function sealOf({ type, signature, data }: JsonObject): string | undefined {
  const seal = type === "redacted_thinking" ? data : type === "thinking" ? signature : undefined;
  return isOwnSeal(seal) ? undefined : nonEmptyString(seal);
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

/** Whether a signature is ours. */
export function isOwnSeal(signature: unknown): boolean {
  return typeof signature === "string" && signature.startsWith(PREFIX);
}
