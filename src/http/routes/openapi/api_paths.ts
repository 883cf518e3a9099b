/**
 * The paths of models, chats, calls and keys, as the API's document tells them.
 *
 * @module
 */

import * as z from "zod";
import { callViewSchema } from "../../schemas/call_view.ts";
import { chatCompletionSchema } from "../../schemas/chat_completion.ts";
import { chatRequest } from "../../schemas/chat_request.ts";
import { embeddingListSchema } from "../../schemas/embedding_list.ts";
import { embeddingRequest } from "../../schemas/embedding_request.ts";
import { keyViewSchema } from "../../schemas/key_view.ts";
import { modelEntrySchema } from "../../schemas/model_entry.ts";
import type { PathSpec } from "./path_spec.ts";

/** In the order of the document. */
export const API_PATHS: readonly PathSpec[] = [
  {
    method: "post",
    path: "/chat/completions",
    id: "createChatCompletion",
    summary: "Complete a chat, by the best route for this request",
    request: chatRequest,
    answer: chatCompletionSchema,
    streams: true,
    errors: [400, 401, 402, 403, 404, 413, 415, 422, 429, 500, 503],
  },
  {
    method: "post",
    path: "/embeddings",
    id: "createEmbedding",
    summary: "Embed texts or token lists",
    request: embeddingRequest,
    answer: embeddingListSchema,
    errors: [400, 401, 402, 403, 404, 413, 415, 422, 429, 500, 503],
  },
  {
    method: "get",
    path: "/models",
    id: "listModels",
    summary: "The logical models this key may use, with their prices",
    answer: z.object({ object: z.literal("list"), data: z.array(modelEntrySchema) }),
    errors: [401],
  },
  {
    method: "get",
    path: "/models/{id}",
    id: "retrieveModel",
    summary: "One logical model",
    answer: modelEntrySchema,
    errors: [401, 403, 404],
  },
  {
    method: "get",
    path: "/calls/{request_id}",
    id: "retrieveCall",
    summary: "What a call of this project used and cost, streams included",
    answer: callViewSchema,
    errors: [401, 404],
  },
  {
    method: "get",
    path: "/key",
    id: "retrieveKey",
    summary: "What the calling key is, may use and has left",
    answer: keyViewSchema,
    errors: [401],
  },
];
