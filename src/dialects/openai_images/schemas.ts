/**
 * `POST /v1/images/generations` and `/v1/images/edits`: what the gateway itself reads of a request, of
 * which everything else is forwarded untouched, and the answer.
 *
 * @module
 */

import * as z from "zod";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** OpenAI takes 10. */
export const MOST_IMAGES = 16;

const word = z.string().min(1).max(64);

/** Fields that both paths have, and OpenAI's clients send. */
export const imageFields = {
  model: modelField,
  prompt: z.string().min(1).max(200_000).describe("What is to be seen"),
  n: z.int().min(1).max(MOST_IMAGES).nullish().describe("How many images; 1 unless told"),
  size: word.nullish().describe("`<width>x<height>`, or auto"),
  quality: word.nullish().describe("low, medium, high or auto, and what else the model knows"),
  stream: z.boolean().nullish().describe("Answer with server-sent events"),
  partial_images: z.int().min(0).max(10).nullish().describe(
    "How many are sent before each is done",
  ),
  ...routingFields,
};

/** The body of a request for images. */
export const imageRequest = z.looseObject(imageFields);

/** The answer in one piece. */
export const imagesSchema = z.looseObject({
  created: z.int(),
  data: z.array(z.looseObject({
    b64_json: z.string().optional(),
    url: z.string().optional(),
  })),
  usage: z.looseObject({
    input_tokens: z.int(),
    output_tokens: z.int(),
    total_tokens: z.int(),
    input_tokens_details: z.looseObject({ text_tokens: z.int(), image_tokens: z.int() }),
  }),
  ...answerFields,
});
