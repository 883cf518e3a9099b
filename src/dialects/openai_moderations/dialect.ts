/**
 * OpenAI's moderations: texts and images in, what is wrong with them out.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { promptUsageBody } from "../openai/prompt_usage.ts";
import { moderationFacts, moderationPrompt } from "./facts.ts";
import { moderationRequest, moderationSchema } from "./schemas.ts";

export const openaiModerations = {
  name: "openai_moderations",
  title: "moderations",
  family: OPENAI,
  capability: "moderations",
  request: moderationRequest,
  answer: moderationSchema,
  words: { path: "/moderations", limitFields: [], fields: { prompt: "input", image: "input" } },
  facts: moderationFacts,
  prompt: moderationPrompt,
  usageBody: (usage) => promptUsageBody(usage),
} as const satisfies Dialect;
