/**
 * `POST /v1/completions`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and the answer.
 *
 * @module
 */

import * as z from "zod";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";
import { faultOfPrompts, PROMPT_FORMS } from "../openai/prompt_input.ts";

const choices = z.lazy(() => z.int().min(1).max(128).nullish());

const prompt = z.lazy(() =>
  z.unknown().superRefine((value, context) => {
    const fault = value === undefined || value === null ? undefined : faultOfPrompts(value, true);
    if (fault !== undefined) context.addIssue({ code: "custom", ...fault });
  })
);

/** The body of a completion request. */
export const completionRequest = z.lazy(() =>
  z.looseObject({
    model: modelField,
    prompt: prompt.optional().meta(PROMPT_FORMS),
    suffix: z.string().nullish().describe("What comes behind what is to be filled in"),
    max_tokens: z.int().min(0).max(100_000_000).nullish().describe(
      "Most tokens of output; 16 unless told",
    ),
    n: choices.describe("How many choices of each prompt"),
    best_of: choices.describe("Of how many the best ones are chosen, all of which are paid for"),
    echo: z.boolean().nullish().describe("Whether the prompt stands before what is written"),
    stream: z.boolean().nullish().describe("Answer with server-sent events"),
    stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
    ...routingFields,
  })
);

/** The answer of `POST /v1/completions` without `stream`. */
export const completionSchema = z.lazy(() =>
  z.looseObject({
    id: z.string(),
    object: z.literal("text_completion"),
    created: z.int(),
    model: z.string().describe("The logical model"),
    choices: z.array(z.looseObject({
      index: z.int(),
      text: z.string(),
      finish_reason: z.string().nullable(),
      logprobs: z.looseObject({}).nullable(),
    })),
    usage: z.looseObject({
      prompt_tokens: z.int(),
      completion_tokens: z.int(),
      total_tokens: z.int(),
    }),
    ...answerFields,
  })
);

/** What answers and their chunks are called. */
export const TEXT_COMPLETION = "text_completion";
