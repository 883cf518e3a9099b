/**
 * Rankings of documents for a query, in the form that Cohere's and Jina's clients have in common.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { promptUsageBody } from "../openai/prompt_usage.ts";
import { rerankFacts, rerankPrompt } from "./facts.ts";
import { rerankRequest, rerankSchema } from "./schemas.ts";

export const rerank = {
  name: "rerank",
  title: "rankings",
  family: OPENAI,
  capability: "rerank",
  request: rerankRequest,
  answer: rerankSchema,
  words: { path: "/rerank", limitFields: [], fields: { prompt: "documents" } },
  facts: rerankFacts,
  prompt: rerankPrompt,
  usageBody: (usage) => promptUsageBody(usage),
} as const satisfies Dialect;
