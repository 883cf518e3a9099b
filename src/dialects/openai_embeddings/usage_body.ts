/**
 * Usage in the form of the embeddings endpoint: it writes no tokens.
 *
 * @module
 */

import type { Usage } from "../../domain/usage.ts";
import type { JsonObject } from "../../domain/json_value.ts";

/** The object on the wire; fields of `raw` that it does not set are kept. */
export function embeddingUsageBody({ promptTokens }: Usage, raw: JsonObject = {}): JsonObject {
  return { ...raw, prompt_tokens: promptTokens, total_tokens: promptTokens };
}
