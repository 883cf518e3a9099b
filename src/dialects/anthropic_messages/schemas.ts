/**
 * `POST /v1/messages`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and what the API's document tells of the answer.
 *
 * @module
 */

import * as z from "zod";
import { boundedList } from "../../documents/bounded.ts";
import { answerFields } from "../base/answer.ts";
import type { RequestWords } from "../base/dialect.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";

export const ANTHROPIC_MESSAGES = "anthropic_messages";

/** The form of a seal that has the thoughts in it, too: a `redacted_thinking` block's. */
export const REDACTED = "redacted";

/** The versions of the API that there are; the first one is meant where none is named. */
export const API_VERSIONS: readonly string[] = ["2023-06-01", "2026-10-21"];

/** Anthropic's own limit. */
const MOST_MESSAGES = 100_000;
const MOST_TOOLS = 1_000;

export const MESSAGE_WORDS: RequestWords = {
  path: "/messages",
  // What a route's rules are about is its upstream's, which may speak chat.
  limitFields: ["max_tokens", "max_completion_tokens"],
  fields: {
    prompt: "messages",
    image: "messages",
    schema: "output_config",
    limit: "max_tokens",
  },
};

/** What agents put behind a model's name, such as `[1m]`, to say how they use it. */
const MANNER = /\[[^\]]*\]$/;

const promptFields = () => ({
  model: modelField.transform((name) => name.replace(MANNER, "")),
  messages: boundedList(z.looseObject({ role: z.string().min(1).max(64) }), {
    least: 1,
    most: MOST_MESSAGES,
  }).describe("The conversation, in Anthropic's message format"),
  tools: boundedList(z.looseObject({}), { most: MOST_TOOLS }).nullish(),
  ...routingFields,
});

/** The body of a request for a message. */
export const messagesRequest = z.lazy(() =>
  z.looseObject({
    max_tokens: z.int().min(0).max(100_000_000).describe(
      "Most tokens of output; the hold is sized by it. 0 only fills the upstream's prompt cache",
    ),
    stream: z.boolean().nullish().describe("Answer with server-sent events"),
    ...promptFields(),
  })
);

/** The body of a request to count a prompt's tokens. */
export const countRequest = z.lazy(() => z.looseObject(promptFields()));

/** The answer of `POST /v1/messages/count_tokens`. */
export const countSchema = z.lazy(() => z.looseObject({ input_tokens: z.int() }));

/** The answer of `POST /v1/messages` without `stream`. */
export const messageSchema = z.lazy(() =>
  z.looseObject({
    id: z.string(),
    type: z.literal("message"),
    role: z.literal("assistant"),
    model: z.string().describe("The logical model"),
    content: z.array(z.looseObject({ type: z.string() })),
    stop_reason: z.string().nullable(),
    stop_sequence: z.string().nullable(),
    usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int() }),
    ...answerFields,
  })
);
