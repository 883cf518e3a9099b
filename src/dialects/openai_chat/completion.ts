/**
 * A chat completion with the additions of section 2.2 of the service
 * specification. For the API document: answers pass through as the upstream
 * gave them.
 *
 * @module
 */

import * as z from "zod";
import { answerFields } from "../base/answer_facts.ts";

/** The answer of `POST /v1/chat/completions` without `stream`. */
export const chatCompletionSchema = z.looseObject({
  id: z.string(),
  object: z.literal("chat.completion"),
  created: z.int(),
  model: z.string().describe("The logical model"),
  choices: z.array(z.looseObject({
    index: z.int(),
    finish_reason: z.string().nullable(),
    message: z.looseObject({
      role: z.literal("assistant"),
      content: z.string().nullable(),
    }),
  })),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
  }),
  ...answerFields,
});
