/**
 * OpenAI's older completions: a text goes on, or what is missing before a suffix is filled in.
 *
 * @module
 */

import { isObject } from "../../domain/json_value.ts";
import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { usageBody } from "../openai/normalise_usage.ts";
import { ChatWriter } from "../openai/chunk_writer.ts";
import { completionFacts, completionPrompt } from "./facts.ts";
import { completionRequest, completionSchema, TEXT_COMPLETION } from "./schemas.ts";

export const openaiCompletions = {
  name: "openai_completions",
  title: "completions",
  onRoutes: "a route says so with `supports: { completions: true }`",
  family: OPENAI,
  capability: "completions",
  request: completionRequest,
  answer: completionSchema,
  words: {
    path: "/completions",
    limitFields: ["max_tokens"],
    fields: { prompt: "prompt", limit: "max_tokens" },
  },
  facts: completionFacts,
  prompt: completionPrompt,
  usageBody: (usage) => usageBody(usage),
  writer({ stream_options: options }, model) {
    return new ChatWriter({
      model,
      includeUsage: isObject(options) && options.include_usage === true,
      object: TEXT_COMPLETION,
    });
  },
} as const satisfies Dialect;
