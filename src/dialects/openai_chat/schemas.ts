/**
 * `POST /v1/chat/completions`: what the gateway itself reads of the body, of which everything else is
 * forwarded untouched, and what the API's document tells of the answer, which passes through as the
 * upstream gave it.
 *
 * @module
 */

import * as z from "zod";
import type { RequestWords } from "../base/dialect.ts";
import { boundedList } from "../../documents/bounded.ts";
import { isObject } from "../../domain/json_value.ts";
import { MOST_TOOLS } from "../openai/settings.ts";
import { modelField, routingFields } from "../base/routing_fields.ts";
import { answerFields } from "../base/answer.ts";

/** OpenAI's own limit is not told; an agent's longest conversations have a few hundred. */
const MOST_MESSAGES = 10_000;

const outputLimit = z.int().min(1).max(100_000_000).nullish();

/** Names of the output limit: OpenAI's newer one, and the one that most compatible servers know. */
export const CHAT_LIMIT_FIELDS = ["max_completion_tokens", "max_tokens"] as const;

/** One of {@linkcode CHAT_LIMIT_FIELDS}. */
export type ChatLimitField = typeof CHAT_LIMIT_FIELDS[number];

/** How a chat is asked for. */
export const CHAT_WORDS: RequestWords = {
  path: "/chat/completions",
  limitFields: CHAT_LIMIT_FIELDS,
  fields: {
    prompt: "messages",
    image: "messages",
    schema: "response_format",
    limit: "max_tokens",
  },
};

const MOST_ROLE_CHARACTERS = 64;

/** What the schema of a message asks. */
function isMessage(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { role } = value;
  return typeof role === "string" && role.length >= 1 && role.length <= MOST_ROLE_CHARACTERS;
}

/** The body of a chat completion request. */
export const chatRequest = z.looseObject({
  model: modelField,
  messages: boundedList(z.looseObject({ role: z.string().min(1).max(MOST_ROLE_CHARACTERS) }), {
    least: 1,
    most: MOST_MESSAGES,
    isUsual: isMessage,
  }).describe(
    "The conversation, in OpenAI's message format",
  ),
  stream: z.boolean().nullish().describe("Answer with server-sent events"),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: outputLimit.describe("Most tokens of output; the hold is sized by it"),
  max_completion_tokens: outputLimit.describe("The newer name of max_tokens"),
  n: z.int().min(1).max(128).nullish().describe("How many choices"),
  tools: boundedList(z.looseObject({}), { most: MOST_TOOLS, isUsual: isObject }).nullish(),
  ...routingFields,
});

/** The answer of `POST /v1/chat/completions` without `stream`. */
export const chatCompletionSchema = z.lazy(() =>
  z.looseObject({
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
  })
);

export const OPENAI_CHAT = "openai_chat";
