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
