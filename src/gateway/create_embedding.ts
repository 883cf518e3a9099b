/**
 * The embeddings capability.
 *
 * @module
 */

import { openaiEmbeddings } from "../dialects/openai_embeddings/dialect.ts";
import { answerOf } from "../providers/serve.ts";
import type { AnswerKind } from "./call_request.ts";

/** `POST /v1/embeddings`; `input` in the body is a list of texts or of token lists. */
export const embeddingAnswer: AnswerKind = {
  dialect: openaiEmbeddings,
  invoke: answerOf("embeddings"),
};
