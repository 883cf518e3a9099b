/**
 * Usage in the form of the embeddings endpoint: it writes no tokens.
 *
 * @module
 */

import { promptTokens, type Work } from "../../domain/work.ts";
import type { JsonObject } from "../../domain/json_value.ts";

/** The object on the wire; fields of `raw` that it does not set are kept. */
export function embeddingUsageBody(work: Work, raw: JsonObject = {}): JsonObject {
  const prompt = promptTokens(work);
  return { ...raw, prompt_tokens: prompt, total_tokens: prompt };
}
