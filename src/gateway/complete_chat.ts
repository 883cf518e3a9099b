/**
 * The chat completions capability.
 *
 * @module
 */

import { openaiChat } from "../dialects/openai_chat/dialect.ts";
import { serve } from "../providers/serve.ts";
import type { AnswerKind, StreamKind } from "./call_request.ts";

const serving = serve("openai_chat");

/** `POST /v1/chat/completions` without `stream`. */
export const chatAnswer: AnswerKind = { dialect: openaiChat, invoke: serving.answer };

/** `POST /v1/chat/completions` with `stream: true`. */
export const chatStream: StreamKind = {
  dialect: openaiChat,
  invoke: serving.stream,
  writer: ({ body }, model) => openaiChat.writer!(body, model),
};
