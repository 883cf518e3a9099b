/**
 * Usage of images: tokens of texts and of images, read and made.
 *
 * @module
 */

import { asObject, type JsonObject } from "../../domain/json_value.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";
import { normaliseUsage } from "../openai/normalise_usage.ts";

/**
 * What an answer of so many images bought. Tokens that are written are an image's where nothing says
 * otherwise; without any, the images count.
 */
export function readImageUsage(usage: unknown, images: number): Work {
  const raw = asObject(usage);
  const imageOut = { imageOut: images };
  if (raw === undefined) return imageOut;
  const details = asObject(raw.output_tokens_details);
  const read = normaliseUsage({
    ...raw,
    output_tokens_details: details ?? { image_tokens: raw.output_tokens },
  })?.usage;
  if (read === undefined || promptTokens(read) + completionTokens(read) === 0) return imageOut;
  return { ...read, ...imageOut };
}

/** As OpenAI tells it; fields of `raw` that it does not set are kept. */
export function imageUsageBody(work: Work, raw: JsonObject = {}): JsonObject {
  const input = promptTokens(work);
  const output = completionTokens(work);
  const { inputImage = 0, outputImage = 0 } = work;
  return {
    ...raw,
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output,
    input_tokens_details: {
      ...asObject(raw.input_tokens_details),
      text_tokens: input - inputImage,
      image_tokens: inputImage,
    },
    output_tokens_details: {
      ...asObject(raw.output_tokens_details),
      text_tokens: output - outputImage,
      image_tokens: outputImage,
    },
  };
}
