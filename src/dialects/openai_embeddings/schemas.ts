/**
 * `POST /v1/embeddings`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and the answer.
 *
 * @module
 */

import * as z from "zod";
import { faultOfPrompts, PROMPT_FORMS, promptList } from "../openai/prompt_input.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** `input` as a list of texts or of token lists, whichever of its four forms it came in. */
const inputs = z.lazy(() =>
  z.unknown().transform((value, context) => {
    const fault = faultOfPrompts(value);
    if (fault === undefined) return promptList(value);
    context.addIssue({ code: "custom", ...fault });
    return z.NEVER;
  })
);

/** The body of an embeddings request. */
export const embeddingRequest = z.lazy(() =>
  z.looseObject({
    model: modelField,
    input: inputs.meta(PROMPT_FORMS),
    encoding_format: z.enum(["float", "base64"]).nullish().describe(
      "float (default), or base64 of 32-bit floats, little-endian",
    ),
    dimensions: z.int().min(1).max(100_000).nullish().describe(
      "Length of the vectors, where the model can choose",
    ),
    user: z.string().nullish(),
    ...routingFields,
  })
);

/** The answer to `POST /v1/embeddings`. */
export const embeddingListSchema = z.lazy(() =>
  z.looseObject({
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
  })
);
