/**
 * Sealed thoughts in a chat message, as OpenRouter has them: `reasoning_details`, which clients give
 * back as they got them.
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
import type { ReasoningBlock, Seal } from "../turns/blocks.ts";
import { isOwnSeal } from "../turns/own_seal.ts";
import { unwrapSeal } from "../turns/thought_seals.ts";

/** Its words for the vendors' forms, by our names of their dialects. */
const FORMATS: ReadonlyMap<string, string> = new Map([
  ["anthropic_messages", "anthropic-claude-v1"],
  ["gemini", "google-gemini-v1"],
  ["openai_responses", "openai-responses-v1"],
]);
const OTHER_FORM = "unknown";
const DIALECT_OF = new Map([...FORMATS].map(([dialect, format]) => [format, dialect]));

/** One of them, whole: clients lose seals that come apart from their text. */
export function thoughtDetail(
  { text, signature, of, index }: {
    readonly text: string;
    /** As the caller gets it. */
    readonly signature: string;
    /** The dialect of the upstream's own. */
    readonly of: string;
    readonly index: number;
  },
): JsonObject {
  const format = FORMATS.get(of) ?? OTHER_FORM;
  return { type: "reasoning.text", text, signature, format, index };
}

/** The thoughts that a message gives back with seals; none where it has no seals. */
export function sealedThoughts(message: JsonObject, at: string): readonly ReasoningBlock[] {
  const { reasoning_details: details } = message;
  if (!Array.isArray(details) || !details.some((detail) => sealIn(detail) !== undefined)) return [];
  const blocks = new Map<unknown, { text: string; seal?: Seal; readonly at: string }>();
  details.forEach((detail, place) => {
    if (!isObject(detail)) return;
    // Of some clients the parts of one are still apart.
    const key = detail.index ?? `at ${place}`;
    const block = blocks.get(key) ?? { text: "", at: `${at}.reasoning_details[${place}]` };
    block.text += nonEmptyString(detail.text) ?? "";
    const seal = upstreamsSeal(detail);
    blocks.set(key, seal === undefined ? block : { ...block, seal });
  });
  return [...blocks.values()].map((block) => ({ type: "reasoning", ...block }));
}

/** The newest seal in a conversation. */
export function newestSeal(messages: unknown): string | undefined {
  const all = asArray(messages);
  for (let at = all.length - 1; at >= 0; at--) {
    const details = asObject(all[at])?.reasoning_details;
    if (!Array.isArray(details)) continue;
    const seal = details.findLast((detail) => sealIn(detail) !== undefined);
    if (seal !== undefined) return sealIn(seal);
  }
  return undefined;
}

/** The messages without what we have sealed, which no upstream knows; the same where there is none. */
export function withoutOwnSeals(messages: unknown): unknown {
  if (!Array.isArray(messages) || !messages.some(hasOwnSeal)) return messages;
  return messages.map((message) => {
    if (!hasOwnSeal(message)) return message;
    const { reasoning_details: details, ...rest } = message;
    const kept = asArray(details).filter((detail) => !isOwnSeal(sealIn(detail)));
    return kept.length === 0 ? rest : { ...rest, reasoning_details: kept };
  });
}

function hasOwnSeal(message: unknown): message is JsonObject {
  const details = asObject(message)?.reasoning_details;
  return Array.isArray(details) && details.some((detail) => isOwnSeal(sealIn(detail)));
}

function sealIn(detail: unknown): string | undefined {
  const { signature, data } = asObject(detail) ?? {};
  return nonEmptyString(signature) ?? nonEmptyString(data);
}

function upstreamsSeal(detail: JsonObject): Seal | undefined {
  const value = sealIn(detail);
  if (value === undefined) return undefined;
  if (isOwnSeal(value)) return unwrapSeal(value);
  const of = DIALECT_OF.get(String(detail.format));
  return of === undefined ? undefined : { of, value };
}
