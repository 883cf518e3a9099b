/**
 * Our own count of a text's tokens, within bounded work.
 *
 * @module
 */

import { countTokens } from "../domain/tokenizer.ts";

/** Longer texts are counted by their beginning, so that counting never blocks the event loop. */
export const COUNTED_CHARACTERS = 200_000;

/** Counts tokens of a text that is that long, extrapolating beyond its first 200,000 characters. */
export function estimateTokens(text: string, length = text.length): number {
  if (length <= COUNTED_CHARACTERS) return countTokens(text);
  const counted = countTokens(text.slice(0, COUNTED_CHARACTERS));
  return Math.ceil(counted * length / COUNTED_CHARACTERS);
}

/**
 * The same of many texts, none of which is empty: so much of them is counted in all, and the rest
 * is taken to be like it.
 */
export function estimateTokensOfAll(texts: readonly string[]): number {
  let tokens = 0;
  let counted = 0;
  let length = 0;
  for (const text of texts) {
    length += text.length;
    const part = text.slice(0, COUNTED_CHARACTERS - counted);
    tokens += countTokens(part);
    counted += part.length;
  }
  return length === counted ? tokens : Math.ceil(tokens * length / counted);
}
