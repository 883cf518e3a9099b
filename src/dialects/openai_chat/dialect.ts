/**
 * OpenAI's chat completions, which most vendors' servers speak.
 *
 * @module
 */

import { asObject, isObject } from "../../domain/json_value.ts";
import type { Dialect } from "../base/dialect.ts";
import { OPENAI } from "../openai/family.ts";
import { usageBody } from "../openai/normalise_usage.ts";
import { ChatAnswerReader } from "./answer_reader.ts";
import { ChatAnswerWriter } from "./answer_writer.ts";
import { CHAT_WORDS, chatCompletionSchema, chatRequest, OPENAI_CHAT } from "./schemas.ts";
import { chatFacts, chatPrompt } from "./facts.ts";
import { readRequest } from "./read_request.ts";
import { ChatWriter } from "../openai/chunk_writer.ts";
import { writeRequest } from "./write_request.ts";

export const openaiChat: Dialect = {
  name: OPENAI_CHAT,
  title: "chat completions",
  family: OPENAI,
  capability: "chat",
  request: chatRequest,
  answer: chatCompletionSchema,
  words: CHAT_WORDS,
  facts: chatFacts,
  prompt: chatPrompt,
  askUsage: (body) => ({
    ...body,
    stream_options: { ...asObject(body.stream_options), include_usage: true },
  }),
  usageBody: (usage) => usageBody(usage),
  callers: {
    readRequest,
    answerWriter: (body, parts, events) => new ChatAnswerWriter(body, parts, events),
  },
  upstreams: { writeRequest, answerReader: (sink) => new ChatAnswerReader(sink) },
  writer({ stream_options: options }, model) {
    return new ChatWriter({
      model,
      includeUsage: isObject(options) && options.include_usage === true,
    });
  },
};
