/**
 * `POST /v1/chat/completions` (section 4.1 of the service specification).
 *
 * @module
 */

import { openaiChat } from "../../dialects/openai_chat/dialect.ts";
import { serve } from "../../providers/serve.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";

/** See the module's text. */
export const createChatCompletion = modelEndpoint({
  path: "/chat/completions",
  id: "createChatCompletion",
  summary: "Complete a chat, by the best route for this request",
  dialect: openaiChat,
  serving: serve("openai_chat"),
});
