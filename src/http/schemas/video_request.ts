/**
 * `POST /v1/videos`: what the gateway itself reads of the body, JSON or form.
 *
 * @module
 */

import * as z from "zod";
import { routingFields } from "../../dialects/base/routing_fields.ts";

const MAX_PROMPT_CHARACTERS = 32_000;
const MAX_SECONDS = 3_600;

const prompt = z.lazy(() =>
  z.string()
    // A lone surrogate is no text: it could not be stored as it came.
    .transform((text) => text.toWellFormed())
    .refine((text) => text.trim() !== "", "Expected some words that say what the film shows")
    // Counted only where the shorter measure, of at most two to a character, does not decide.
    .refine(
      (text) =>
        text.length <= MAX_PROMPT_CHARACTERS ||
        (text.length <= 2 * MAX_PROMPT_CHARACTERS && [...text].length <= MAX_PROMPT_CHARACTERS),
      `Expected at most ${MAX_PROMPT_CHARACTERS} characters`,
    )
    .refine((text) => !text.includes("\0"), "Expected text without U+0000")
);

const size = z.lazy(() =>
  z.string().regex(
    /^[1-9][0-9]{0,4}x[1-9][0-9]{0,4}$/,
    "Expected <width>x<height> in pixels, such as 1280x720",
  )
);

const seconds = z.lazy(() =>
  z.union(
    [
      z.string().regex(/^[1-9][0-9]{0,3}$/).transform(Number),
      z.int().min(1),
    ],
    'Expected whole seconds, such as "4"',
  ).refine((value) => value <= MAX_SECONDS, `Expected at most ${MAX_SECONDS}`)
);

const image = z.lazy(() => z.string().describe("A data URL: data:image/png;base64,…"));

/** The body of a request for a film. In a form every value is a text, and files are parts. */
export const videoRequest = z.lazy(() =>
  z.looseObject({
    model: z.string().min(1).max(200).nullish().describe(
      "Logical model id or alias; by default the key's only video model",
    ),
    prompt: prompt.meta({
      description: "What the film shows",
      pattern: String.raw`^[^\u0000]*[^\s\u0000][^\u0000]*$`,
      maxLength: MAX_PROMPT_CHARACTERS,
    }),
    size: size.nullish().describe("By default the first size that the route offers"),
    seconds: seconds.nullish().describe("By default the first length that the route offers"),
    input_reference: z.union([
      z.instanceof(Uint8Array),
      image,
      z.strictObject({ image_url: z.union([image, z.strictObject({ url: image })]) }),
      z.strictObject({ file_id: z.string() }),
    ], "Expected an image file, or an image as a data URL").nullish().describe(
      "The image that the film begins with: PNG, JPEG or WebP",
    ),
    callback_url: z.string().min(1).nullish().describe(
      "Told when the film is there or has failed, with a signed call (Standard Webhooks)",
    ),
    ...routingFields,
  })
);

export type VideoRequestFields = z.output<typeof videoRequest>;
