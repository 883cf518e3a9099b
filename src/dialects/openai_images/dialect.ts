/**
 * OpenAI's images: made of a text, or of images and a text.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { EventWriter } from "../openai/event_writer.ts";
import { OPENAI } from "../openai/family.ts";
import { imageFacts, imagePrompt } from "./facts.ts";
import { imageEditRequest, imageRequest, imagesSchema } from "./schemas.ts";
import { imageUsageBody } from "./usage.ts";

const MASK = { dialect: "openai_image_edits", what: "'mask'" };

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

export const openaiImageEdits = {
  ...openaiImages,
  name: "openai_image_edits",
  title: "image edits",
  capability: "image_edits",
  request: imageEditRequest,
  words: { path: "/images/edits", limitFields: [], fields: { prompt: "prompt", image: "image" } },
  facts: ({ body }, stream) =>
    imageFacts(body, {
      capability: "image_edits",
      stream,
      given: countOf(body.image ?? body.images),
      ownOnly: (body.mask ?? undefined) === undefined ? undefined : MASK,
    }),
} as const satisfies Dialect;

function countOf(images: unknown): number {
  return Array.isArray(images) ? images.length : 1;
}
