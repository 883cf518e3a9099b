/**
 * `POST /v1/chat/completions` (section 4.1 of the service specification).
 *
 * @module
 */

import { chatAnswer, chatStream } from "../../gateway/complete_chat.ts";
import { chatCompletionSchema } from "../../dialects/openai_chat/completion.ts";
import { chatRequest } from "../../dialects/openai_chat/request.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";

/** See the module's text. */
export const createChatCompletion = modelEndpoint({
  path: "/chat/completions",
  id: "createChatCompletion",
  summary: "Complete a chat, by the best route for this request",
  request: chatRequest,
  answer: chatCompletionSchema,
  whole: chatAnswer,
  stream: chatStream,
});
