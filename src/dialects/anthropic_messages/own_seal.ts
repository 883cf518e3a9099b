/**
 * The seals on a conversation's thoughts: its upstream's own, or ours, by which they come back to the
 * route that they are from.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Seal } from "../turns/blocks.ts";
import { ANTHROPIC_MESSAGES, REDACTED } from "./schemas.ts";

/** What an upstream has sealed, as it stands in the neutral form. */
export function sealOfBlock({ type, signature, data }: JsonObject): Seal | undefined {
  const isRedacted = type === "redacted_thinking";
  const value = nonEmptyString(isRedacted ? data : signature);
  if (value === undefined) return undefined;
  return { of: ANTHROPIC_MESSAGES, value, ...(isRedacted && { form: REDACTED }) };
}

/** The block that a seal is of; `undefined` of another dialect's. */
export function sealedBlock(text: string, seal: Seal | undefined): JsonObject | undefined {
  if (seal?.of !== ANTHROPIC_MESSAGES) return undefined;
  return seal.form === REDACTED
    ? { type: "redacted_thinking", data: seal.value }
    : { type: "thinking", thinking: text, signature: seal.value };
}

/** What seals a block of thoughts; `undefined` of any other block. */
export function sealOf({ type, signature, data }: JsonObject): string | undefined {
  const seal = type === "redacted_thinking" ? data : type === "thinking" ? signature : undefined;
  return nonEmptyString(seal);
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
