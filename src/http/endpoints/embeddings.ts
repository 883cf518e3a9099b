/**
 * `POST /v1/embeddings` (section 4.2 of the service specification).
 *
 * @module
 */

import { embeddingAnswer } from "../../gateway/create_embedding.ts";
import { embeddingListSchema } from "../../dialects/openai_embeddings/list.ts";
import { embeddingRequest } from "../../dialects/openai_embeddings/request.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";

/** See the module's text. */
export const createEmbedding = modelEndpoint({
  path: "/embeddings",
  id: "createEmbedding",
  summary: "Embed texts or token lists",
  request: embeddingRequest,
  answer: embeddingListSchema,
  whole: embeddingAnswer,
  // `input` as the schema has made it a list.
  forward: (fields) => fields,
});
