/**
 * The chat completions capability.
 *
 * @module
 */

import type { AnswerKind, CallKind, StreamKind } from "./call_request.ts";
import { chatFacts, chatPromptText } from "./chat_facts.ts";

const chat: CallKind = {
  capability: "chat",
  modelKind: "chat",
  facts: ({ body, bodyBytes }) => chatFacts(body, bodyBytes),
  promptText: chatPromptText,
};

/** `POST /v1/chat/completions` without `stream`. */
export const chatAnswer: AnswerKind = {
  ...chat,
  invoke: (provider, call, signal) => provider.chat(call, signal),
};

/** `POST /v1/chat/completions` with `stream: true`. */
export const chatStream: StreamKind = {
  ...chat,
  invoke: (provider, call, signal) => provider.chatStream(call, signal),
};
