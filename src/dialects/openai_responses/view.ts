/**
 * Response objects and what is listed of them, as callers see them.
 *
 * @module
 */

import * as z from "zod";
import { answerFields } from "../base/answer_facts.ts";

/** An item of input or output. */
export const inputItemSchema = z.looseObject({ type: z.string() });

/** The Response object: OpenAI's, with the gateway's additions. */
export const responseViewSchema = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: z.int(),
  status: z.enum(["queued", "in_progress", "completed", "incomplete", "failed", "cancelled"]),
  model: z.string().describe("The logical model"),
  output: z.array(inputItemSchema),
  previous_response_id: z.string().nullable(),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() })
    .nullish().describe("Not there before the answer has ended"),
  ...z.object(answerFields).partial().shape,
});
