/**
 * Anthropic's Messages: the conversation as turns of blocks.
 *
 * @module
 */

import type { Dialect } from "../base/dialect.ts";
import { ANTHROPIC } from "./family.ts";
import { MessageAnswerWriter } from "./answer_writer.ts";
import { MessageAnswerReader } from "./answer_reader.ts";
import { answersByCall, writeRequest } from "./write_request.ts";
import { readRequest } from "./read_request.ts";
import { tokenFactor } from "./model_traits.ts";
import { messagesFacts, messagesPrompt } from "./facts.ts";
import { ANTHROPIC_MESSAGES, MESSAGE_WORDS, messageSchema, messagesRequest } from "./schemas.ts";
import { MessageWriter } from "./stream_writer.ts";
import { usageBody } from "./usage.ts";

export const anthropicMessages = {
  name: ANTHROPIC_MESSAGES,
  title: "Messages",
  family: ANTHROPIC,
  passedHeaders: ["anthropic-version", "anthropic-beta"],
  capability: "messages",
  request: messagesRequest,
  answer: messageSchema,
  words: MESSAGE_WORDS,
  facts: messagesFacts,
  prompt: messagesPrompt,
  tokenFactor,
  usageBody,
  callers: {
    leftOut: "`cache_control`, `context_management`, `metadata` but for a hash of `user_id`, " +
      "`service_tier`, `diagnostics`, `top_k` unless the route's `set` or `default` names it, " +
      "citations, signatures of thoughts, and fields that the gateway does not know",
    readRequest,
    answerWriter: (body, parts, events) => new MessageAnswerWriter(body, parts, events),
  },
  upstreams: { writeRequest, answersByCall, answerReader: (sink) => new MessageAnswerReader(sink) },
  writer: (_body, model) => new MessageWriter(model),
} as const satisfies Dialect;
