/**
 * `POST /v1/images/generations` and `/v1/images/edits`: what the gateway itself reads of a request, of
 * which everything else is forwarded untouched, and the answer.
 *
 * @module
 */

import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { SpooledFile } from "../../files/spooled_file.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** OpenAI takes 10. */
export const MOST_IMAGES = 16;

const word = z.lazy(() => z.string().min(1).max(64));

/** Fields that both paths have, and OpenAI's clients send. */
export const imageFields = () => ({
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
});

/** The body of a request for images. */
export const imageRequest = z.lazy(() => z.looseObject(imageFields()));

const formCount = (least: number, most: number) =>
  z.union([
    z.int().min(least).max(most),
    z.string().regex(/^\d{1,2}$/).transform(Number).pipe(z.int().min(least).max(most)),
  ]).nullish();

const image = z.lazy(() =>
  z.union([
    z.instanceof(SpooledFile).meta({ type: "string", format: "binary" }),
    z.looseObject({}),
    z.string().min(1),
  ])
);

/** The form, or the JSON, of a request for images of images; numbers of a form are texts. */
export const imageEditRequest = z.lazy(() =>
  z.looseObject({
    ...imageFields(),
    n: formCount(1, MOST_IMAGES).describe("How many images; 1 unless told"),
    partial_images: formCount(0, 10),
    stream: z.union([
      z.boolean(),
      z.enum(["true", "false"]).transform((text) => text === "true"),
    ]).nullish().describe("Answer with server-sent events"),
    image: z.union([image, boundedList(image, { least: 1, most: MOST_IMAGES })]).nullish().describe(
      "A file, or files as `image[]`",
    ),
    images: boundedList(z.looseObject({}), { least: 1, most: MOST_IMAGES }).nullish().describe(
      "Of JSON: objects with an `image_url`",
    ),
    mask: image.nullish().describe("Where the first image may change"),
  }).refine(
    ({ image, images }) => (image ?? images ?? undefined) !== undefined,
    { path: ["image"], message: "Expected an image, or several" },
  )
);

/** The answer in one piece. */
export const imagesSchema = z.lazy(() =>
  z.looseObject({
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
  })
);
