/**
 * `POST /v1/responses`: what the gateway itself reads of the body, of which everything else is for the
 * model, and Response objects as callers see them.
 *
 * @module
 */

import * as z from "zod";
import type { RequestWords } from "../base/dialect.ts";
import { boundedList, boundedRecord } from "../../documents/bounded.ts";
import { MOST_TOOLS } from "../openai/settings.ts";
import { faultOfInput, MOST_ITEMS } from "./input_faults.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

const input = z.unknown().transform((value, context) => {
  const fault = faultOfInput(value);
  if (fault === undefined) {
    return value as string | readonly { readonly [field: string]: unknown }[];
  }
  context.addIssue({ code: "custom", ...fault });
  return z.NEVER;
});

/** The output limit's name. */
export const RESPONSE_LIMIT_FIELD = "max_output_tokens";

/** How a Response is asked for. */
export const RESPONSE_WORDS: RequestWords = {
  path: "/responses",
  limitFields: [RESPONSE_LIMIT_FIELD],
  nativeBy: "responses",
  fields: { prompt: "input", image: "input", schema: "text", limit: RESPONSE_LIMIT_FIELD },
};

const responseFields = () => ({
  model: modelField,
  input: input.meta({
    description: "A text, or a list of items in OpenAI's format",
    anyOf: [
      { type: "string", minLength: 1 },
      { type: "array", minItems: 1, maxItems: MOST_ITEMS, items: { type: "object" } },
    ],
  }),
  instructions: z.string().nullish().describe("What the model is told first; not inherited"),
  stream: z.boolean().nullish().describe("Answer with server-sent events"),
  store: z.boolean().nullish().describe("Keep the answer for 30 days; true by default"),
  background: z.boolean().nullish().describe("Answer at once, and make the answer afterwards"),
  previous_response_id: z.string().min(1).max(200).nullish().describe(
    "The kept answer that this one goes on from",
  ),
  max_output_tokens: z.int().min(1).max(100_000_000).nullish().describe(
    "Most tokens of output; the hold is sized by it",
  ),
  tools: boundedList(z.looseObject({ type: z.string().min(1).max(64) }), { most: MOST_TOOLS })
    .nullish(),
  metadata: boundedRecord(z.string().max(64), z.string().max(512), { most: 16 }).nullish(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }).nullish() }).nullish(),
  ...routingFields,
});

/** The body of a request of the Responses API. */
export const responseRequest = z.lazy(() => z.looseObject(responseFields()));

export type ResponseRequestFields = z.output<typeof responseRequest>;

/** Fields by which a conversation is found; without `input` there has to be one that it goes on from. */
const conversationFields = () => {
  const { input, instructions, previous_response_id, tools } = responseFields();
  return {
    model: modelField,
    input: input.nullish(),
    instructions,
    previous_response_id,
    tools,
    ...routingFields,
  };
};

const hasInput = ({ input, previous_response_id }: {
  readonly input?: unknown;
  readonly previous_response_id?: string | null | undefined;
}) => (input ?? previous_response_id ?? undefined) !== undefined;
const NO_INPUT = { message: "Expected a text or a list of items", path: ["input"] };

/** The body of a question after the tokens of an input. */
export const inputQuestion = z.lazy(() =>
  z.looseObject({
    ...conversationFields(),
    text: responseFields().text,
  }).refine(hasInput, NO_INPUT)
);

/** The body of a request to compact a conversation. */
export const compactionRequest = z.lazy(() =>
  z.looseObject(conversationFields()).refine(hasInput, NO_INPUT)
);

/** What of a request finds its conversation. */
export type ConversationFields =
  & z.output<typeof compactionRequest>
  & Pick<ResponseRequestFields, "store" | "background" | "stream">;

/** How many tokens an input has. */
export const inputCountSchema = z.lazy(() =>
  z.looseObject({
    object: z.literal("response.input_tokens"),
    input_tokens: z.int(),
    estimated: z.boolean().describe("Whether the upstream could not be asked"),
  })
);

/** An item of input or output. */
export const inputItemSchema = z.looseObject({ type: z.string() });

/** The Response object: OpenAI's, with the gateway's additions. */
export const responseViewSchema = z.lazy(() =>
  z.looseObject({
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
  })
);

/** A compacted conversation: its `output` is the `input` to go on from. */
export const compactedSchema = z.lazy(() =>
  z.looseObject({
    id: z.string(),
    object: z.literal("response.compaction"),
    created_at: z.int(),
    output: z.array(inputItemSchema),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }),
    ...answerFields,
  })
);

export const OPENAI_RESPONSES = "openai_responses";
