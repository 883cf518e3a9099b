/**
 * OpenAI's images: made of a text.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { EventWriter } from "../openai/event_writer.ts";
import { OPENAI } from "../openai/family.ts";
import { imageFacts, imagePrompt } from "./facts.ts";
import { imageRequest, imagesSchema } from "./schemas.ts";
import { imageUsageBody } from "./usage.ts";

export const openaiImages = {
  name: "openai_images",
  title: "images",
  family: OPENAI,
  capability: "images",
  request: imageRequest,
  answer: imagesSchema,
  words: { path: "/images/generations", limitFields: [], fields: { prompt: "prompt" } },
  facts: ({ body }, stream) => imageFacts(body, { capability: "images", stream, given: 0 }),
  prompt: imagePrompt,
  usageBody: (usage) => imageUsageBody(usage),
  writer: () => new EventWriter(),
} as const satisfies Dialect;
