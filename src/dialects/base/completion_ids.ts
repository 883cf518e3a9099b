/**
 * Ids for answers, tool calls and output items whose upstream gave none.
 *
 * @module
 */

import type { Random } from "../../domain/clock.ts";

/** Makes ids in OpenAI's look; they need to be distinct, not secret. */
export interface CompletionIds {
  completion(): string;
  toolCall(): string;
  /** Any other answer. */
  answer(prefix: string): string;
  /** An output item of the Responses API: message, reasoning, function call, custom tool call, other. */
  item(prefix: "msg" | "rs" | "fc" | "ctc" | "tsc" | "cmp" | "item"): string;
}

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 24;

/** Creates a source of ids. */
export function createCompletionIds(random: Random): CompletionIds {
  return {
    completion: () => `chatcmpl-${randomText(random)}`,
    answer: (prefix) => `${prefix}-${randomText(random)}`,
    toolCall: () => `call_${randomText(random)}`,
    item: (prefix) => `${prefix}_${randomText(random)}`,
  };
}

function randomText(random: Random): string {
  let text = "";
  for (let at = 0; at < LENGTH; at++) text += ALPHABET[Math.floor(random() * ALPHABET.length)];
  return text;
}
