/**
 * `POST /v1/moderations`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and the answer.
 *
 * @module
 */

import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** OpenAI's own limit is not told; Mistral's is smaller. */
const MOST_INPUTS = 2_048;

const text = z.lazy(() => z.string().min(1));

const part = z.lazy(() =>
  z.looseObject({
    type: z.string().min(1).max(64).describe("text or image_url"),
    text: z.string().optional(),
    image_url: z.looseObject({ url: z.string() }).optional(),
  })
);

/** What OpenAI's clients mean who name no model. */
export const USUAL_MODERATION_MODEL = "omni-moderation-latest";

/** The body of a moderation request. */
export const moderationRequest = z.lazy(() =>
  z.looseObject({
    model: modelField,
    input: z.union([
      text,
      boundedList(text, { least: 1, most: MOST_INPUTS }),
      boundedList(part, { least: 1, most: MOST_INPUTS }),
    ]).describe("A text, a list of texts that are judged each, or the parts of one input"),
    ...routingFields,
  })
);

/** The answer to `POST /v1/moderations`. */
export const moderationSchema = z.lazy(() =>
  z.looseObject({
    id: z.string(),
    model: z.string().describe("The logical model"),
    results: z.array(z.looseObject({
      flagged: z.boolean(),
      categories: z.record(z.string(), z.unknown()),
      category_scores: z.record(z.string(), z.unknown()),
    })),
    usage: z.looseObject({ prompt_tokens: z.int().min(0), total_tokens: z.int().min(0) }),
    ...answerFields,
  })
);
