/**
 * `POST /v1/embeddings` (section 4.2 of the service specification).
 *
 * @module
 */

import { openaiEmbeddings } from "../../dialects/openai_embeddings/dialect.ts";
import { serve } from "../../providers/serve.ts";
import { modelEndpoint } from "./shape/model_endpoint.ts";

/** See the module's text. */
export const createEmbedding = modelEndpoint({
  path: "/embeddings",
  id: "createEmbedding",
  summary: "Embed texts or token lists",
  dialect: openaiEmbeddings,
  serving: serve("openai_embeddings"),
  // `input` as the schema has made it a list.
  forward: (fields) => fields,
});
