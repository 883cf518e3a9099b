/**
 * `POST /v1/chat/completions` and `POST /v1/embeddings` (sections 4.1 and 4.2 of the service
 * specification).
 *
 * @module
 */

import { openaiChat } from "../../dialects/openai_chat/dialect.ts";
import { serve } from "../../providers/serve.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";
import { openaiEmbeddings } from "../../dialects/openai_embeddings/dialect.ts";

export const createChatCompletion = modelEndpoint({
  path: openaiChat.words.path,
  id: "createChatCompletion",
  summary: "Complete a chat, by the best route for this request",
  dialect: openaiChat,
  serving: serve("openai_chat"),
});

export const createEmbedding = modelEndpoint({
  path: openaiEmbeddings.words.path,
  id: "createEmbedding",
  summary: "Embed texts or token lists",
  dialect: openaiEmbeddings,
  serving: serve("openai_embeddings"),
  // `input` as the schema has made it a list.
  forward: (fields) => fields,
});
