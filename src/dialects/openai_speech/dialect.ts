/**
 * OpenAI's speech: a text in, sound out, as it is or in events.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { EventWriter } from "../openai/event_writer.ts";
import { OPENAI } from "../openai/family.ts";
import { isEvents, speechFacts, speechPrompt, speechUsageBody } from "./facts.ts";
import { mediaTypeOf, speechDoneSchema, speechRequest } from "./schemas.ts";
import { SoundWriter } from "./sound_writer.ts";

export const openaiSpeech = {
  name: "openai_speech",
  title: "speech",
  family: OPENAI,
  capability: "speech",
  request: speechRequest,
  answer: speechDoneSchema,
  words: { path: "/audio/speech", limitFields: [], fields: { prompt: "input" } },
  facts: speechFacts,
  prompt: speechPrompt,
  usageBody: speechUsageBody,
  writer: (body) =>
    isEvents(body) ? new EventWriter() : new SoundWriter(mediaTypeOf(body.response_format)),
} as const satisfies Dialect;
