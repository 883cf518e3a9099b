/**
 * OpenAI's embeddings: texts or token lists in, vectors out.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { promptUsageBody } from "../openai/prompt_usage.ts";
import { embeddingFacts, embeddingPrompt } from "./facts.ts";
import { embeddingListSchema, embeddingRequest } from "./schemas.ts";

export const openaiEmbeddings: Dialect = {
  name: "openai_embeddings",
  title: "embeddings",
  family: OPENAI,
  capability: "embeddings",
  request: embeddingRequest,
  answer: embeddingListSchema,
  words: { path: "/embeddings", limitFields: [], fields: { prompt: "input" } },
  facts: embeddingFacts,
  prompt: embeddingPrompt,
  usageBody: (usage) => promptUsageBody(usage),
};
