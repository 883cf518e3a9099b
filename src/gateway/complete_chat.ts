/**
 * The chat completions capability.
 *
 * @module
 */

import { usageBody } from "../providers/normalise_usage.ts";
import type { JsonObject } from "../domain/json_value.ts";
import { serve } from "../providers/serve.ts";
import type { AnswerKind, CallKind, StreamKind } from "./call_request.ts";
import { ChatDialect } from "./chat_dialect.ts";
import { chatFacts, chatPromptTokens } from "./chat_facts.ts";

const serving = serve("openai_chat");

const chat: CallKind = {
  capability: "chat",
  facts: ({ body, bodyBytes }) => chatFacts(body, bodyBytes),
  promptTokens: chatPromptTokens,
  usageView: (usage) => usageBody(usage),
};

/** `POST /v1/chat/completions` without `stream`. */
export const chatAnswer: AnswerKind = {
  ...chat,
  invoke: serving.answer,
};

/** `POST /v1/chat/completions` with `stream: true`. */
export const chatStream: StreamKind = {
  ...chat,
  invoke: serving.stream,
  dialect: ({ body }, model) => new ChatDialect({ model, includeUsage: asksForUsage(body) }),
};

function asksForUsage(body: Readonly<JsonObject>): boolean {
  const options = body.stream_options;
  return typeof options === "object" && options !== null &&
    (options as JsonObject).include_usage === true;
}
