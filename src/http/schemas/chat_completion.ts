/**
 * A chat completion with the additions of section 2.2 of the service
 * specification. For the API document: answers pass through as the upstream
 * gave them.
 *
 * @module
 */

import * as z from "zod";

const amount = z.string().regex(/^\d+\.\d{8}$/).describe("Decimal string, 8 fractional digits");

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
  provider: z.string().describe("The provider that served the call"),
  route: z.string().describe("The route that served the call"),
  usage: z.looseObject({
    prompt_tokens: z.int(),
    completion_tokens: z.int(),
    total_tokens: z.int(),
  }),
  pricing: z.object({ currency: z.string(), cost_amount: amount, sale_amount: amount }),
});
