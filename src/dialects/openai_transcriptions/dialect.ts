/**
 * OpenAI's transcriptions and translations: sound in, what is said in it out.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { EventWriter } from "../openai/event_writer.ts";
import { OPENAI } from "../openai/family.ts";
import { transcriptionFacts, transcriptionPrompt, transcriptionUsageBody } from "./facts.ts";
import { transcriptionRequest, transcriptionSchema, translationRequest } from "./schemas.ts";

export const openaiTranscriptions = {
  name: "openai_transcriptions",
  title: "transcriptions",
  family: OPENAI,
  capability: "transcriptions",
  request: transcriptionRequest,
  answer: transcriptionSchema,
  words: { path: "/audio/transcriptions", limitFields: [], fields: { prompt: "file" } },
  facts: ({ body }, stream) => transcriptionFacts(body, { capability: "transcriptions", stream }),
  prompt: transcriptionPrompt,
  usageBody: transcriptionUsageBody,
  writer: () => new EventWriter(),
} as const satisfies Dialect;

export const openaiTranslations = {
  name: "openai_translations",
  title: "translations",
  family: OPENAI,
  capability: "translations",
  request: translationRequest,
  answer: transcriptionSchema,
  words: { path: "/audio/translations", limitFields: [], fields: { prompt: "file" } },
  facts: ({ body }, stream) => transcriptionFacts(body, { capability: "translations", stream }),
  prompt: transcriptionPrompt,
  usageBody: transcriptionUsageBody,
} as const satisfies Dialect;
