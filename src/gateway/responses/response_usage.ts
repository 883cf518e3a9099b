/**
 * Usage in the form of the Responses API.
 *
 * @module
 */

import type { Usage } from "../../domain/usage.ts";
import type { JsonObject } from "../../providers/provider.ts";

/** The object on the wire. */
export function responseUsageBody(usage: Usage): JsonObject {
  return {
    input_tokens: usage.promptTokens,
    input_tokens_details: {
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    },
    output_tokens: usage.completionTokens,
    output_tokens_details: { reasoning_tokens: usage.reasoningTokens },
    total_tokens: usage.promptTokens + usage.completionTokens,
  };
}
