/**
 * OpenAI's embeddings: texts or token lists in, vectors out.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { embeddingFacts, embeddingPrompt } from "./facts.ts";
import { embeddingListSchema } from "./list.ts";
import { embeddingRequest } from "./request.ts";
import { embeddingUsageBody } from "./usage_body.ts";

/** See the module's text. */
export const openaiEmbeddings: Dialect = {
  name: "openai_embeddings",
  title: "embeddings",
  family: OPENAI,
  capability: "embeddings",
  request: embeddingRequest,
  answer: embeddingListSchema,
  facts: embeddingFacts,
  prompt: embeddingPrompt,
  usageBody: (usage) => embeddingUsageBody(usage),
};
