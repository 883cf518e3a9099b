/**
 * Embeddings as callers see them.
 *
 * @module
 */

import * as z from "zod";
import { answerFields } from "../base/answer_facts.ts";

/** The answer to `POST /v1/embeddings`. */
export const embeddingListSchema = z.looseObject({
  object: z.literal("list"),
  data: z.array(z.object({
    object: z.literal("embedding"),
    index: z.int().min(0),
    embedding: z.union([z.array(z.number()), z.string()]).describe(
      "Numbers, or base64 of 32-bit floats, little-endian",
    ),
  })),
  model: z.string().describe("The logical model"),
  usage: z.looseObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
  ...answerFields,
});
