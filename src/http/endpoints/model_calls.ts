/**
 * `POST /v1/chat/completions` and `POST /v1/embeddings` (sections 4.1 and 4.2 of the service
 * specification), and what else is asked and answered in JSON.
 *
 * @module
 */

import { openaiChat } from "../../dialects/openai_chat/dialect.ts";
import { serve } from "../../providers/serve.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";
import { openaiCompletions } from "../../dialects/openai_completions/dialect.ts";
import { openaiEmbeddings } from "../../dialects/openai_embeddings/dialect.ts";
import { openaiImages } from "../../dialects/openai_images/dialect.ts";
import { openaiModerations } from "../../dialects/openai_moderations/dialect.ts";
import { USUAL_MODERATION_MODEL } from "../../dialects/openai_moderations/schemas.ts";
import { rerank } from "../../dialects/rerank/dialect.ts";
import { isObject } from "../../domain/json_value.ts";

export const createChatCompletion = modelEndpoint({
  path: openaiChat.words.path,
  id: "createChatCompletion",
  summary: "Complete a chat, by the best route for this request",
  dialect: openaiChat,
  serving: serve("openai_chat"),
  keepsPrompts: true,
});

export const createCompletion = modelEndpoint({
  path: openaiCompletions.words.path,
  id: "createCompletion",
  summary: "Complete a text, or fill in what is missing before a suffix",
  dialect: openaiCompletions,
  serving: serve("openai_completions"),
  keepsPrompts: true,
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

export const createImage = modelEndpoint({
  path: openaiImages.words.path,
  id: "createImage",
  summary: "Make images of a text",
  dialect: openaiImages,
  serving: serve("openai_images"),
  hasLongTexts: true,
});

export const createModeration = modelEndpoint({
  path: openaiModerations.words.path,
  id: "createModeration",
  summary: "Say what is wrong with texts and images",
  dialect: openaiModerations,
  serving: serve("openai_moderations"),
  adjust: (body) =>
    isObject(body) && (body.model ?? null) === null
      ? { ...body, model: USUAL_MODERATION_MODEL }
      : body,
});

const ranking = {
  path: rerank.words.path,
  summary: "Rank documents by how well they fit a query",
  dialect: rerank,
  serving: serve("rerank"),
};

export const createRanking = modelEndpoint({ ...ranking, id: "createRanking" });

/** Where Cohere's clients ask. */
export const createRankingV2 = modelEndpoint({ ...ranking, id: "createRankingV2", version: 2 });
