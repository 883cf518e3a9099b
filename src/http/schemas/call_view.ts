/**
 * A call, as `GET /v1/calls/{request_id}` shows it.
 *
 * @module
 */

import * as z from "zod";
import { amountField, answerFields } from "../../dialects/base/answer_facts.ts";
import { CAPABILITY_NAMES } from "../../domain/capabilities.ts";
import { DELETED_VIDEO_CHARGES } from "../../domain/deleted_video_charge.ts";

const count = z.int().min(0);

/** One call; the later fields are there once it is closed. */
export const callViewSchema = z.object({
  id: z.string().describe("The x-request-id of the answer"),
  object: z.literal("call"),
  capability: z.enum(CAPABILITY_NAMES),
  model: z.string(),
  provider: z.string(),
  route: z.string(),
  stream: z.boolean(),
  created_at: z.int().describe("Unix time in seconds"),
  state: z.enum(["open", "settled", "released"]),
  held_amount: amountField.optional(),
  result: z.enum([
    "completed",
    "client_aborted",
    "upstream_failed",
    "refused",
    "gateway_stopped",
  ]).optional(),
  error_code: z.string().nullable().optional(),
  attempts: count.optional(),
  milliseconds: count.optional(),
  first_byte_milliseconds: count.nullable().optional(),
  usage_source: z.enum(["reported", "estimated", "none"]).optional(),
  usage: z.object({
    prompt_tokens: count,
    completion_tokens: count,
    total_tokens: count,
    prompt_tokens_details: z.object({ cached_tokens: count, cache_write_tokens: count }),
    completion_tokens_details: z.object({ reasoning_tokens: count }),
  }).optional(),
  work: z.record(z.string(), count).optional().describe(
    "All that was bought besides a film, by unit: no token is counted twice",
  ),
  video: z.object({
    size: z.string(),
    seconds: count,
    percent: z.int().min(1).max(99).optional()
      .describe("How much was charged of a film that was deleted while it was made"),
    deleted: z.enum(DELETED_VIDEO_CHARGES).optional()
      .describe(
        "What was charged of a film that was deleted before it was there: by the " +
          "progress that it had made, in full, or nothing",
      ),
  }).optional().describe("Videos only"),
  pricing: answerFields.pricing.extend({
    charged_amount: amountField.describe("What the project paid; 0 for an unlimited project"),
  }).optional(),
});

export type CallView = z.infer<typeof callViewSchema>;
