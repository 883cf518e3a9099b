/**
 * Chat's usage in the form of the Responses API.
 *
 * @module
 */

import { isObject } from "../json_value.ts";
import type { JsonObject } from "../provider.ts";

/** What the two forms call differently; everything else keeps its name. */
const RENAMED: Readonly<Record<string, string>> = {
  prompt_tokens: "input_tokens",
  prompt_tokens_details: "input_tokens_details",
  completion_tokens: "output_tokens",
  completion_tokens_details: "output_tokens_details",
};

/**
 * Converts a normalised usage object (`usageBody()` of normalise_usage.ts); the
 * upstream's other fields are kept.
 *
 * @returns `undefined` for no object.
 */
export function toResponseUsage(chatUsage: unknown): JsonObject | undefined {
  if (!isObject(chatUsage)) return undefined;
  const usage: JsonObject = {};
  for (const field in chatUsage) usage[RENAMED[field] ?? field] = chatUsage[field];
  return usage;
}
