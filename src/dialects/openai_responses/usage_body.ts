/**
 * Usage in the form of the Responses API.
 *
 * @module
 */

import type { Usage } from "../../domain/usage.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";

/**
 * The object on the wire: counts under the names of the Responses API.
 *
 * @param raw An upstream's usage object, under its names or those of chat: its other
 * fields are kept.
 */
export function responseUsageBody(usage: Usage, raw: JsonObject = {}): JsonObject {
  // What is counted under chat's names would be said twice, and not the same.
  const {
    prompt_tokens: _prompt,
    completion_tokens: _completion,
    prompt_tokens_details: promptDetails,
    completion_tokens_details: completionDetails,
    ...others
  } = raw;
  return {
    ...others,
    input_tokens: usage.promptTokens,
    input_tokens_details: {
      ...detailsOf(raw.input_tokens_details, promptDetails),
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.completionTokens,
    output_tokens_details: {
      ...detailsOf(raw.output_tokens_details, completionDetails),
      reasoning_tokens: usage.reasoningTokens,
    },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}

function detailsOf(...details: readonly unknown[]): JsonObject | undefined {
  return details.find(isObject);
}
