/**
 * `POST /v1/responses/compact`: a conversation as a shorter one, to go on from.
 *
 * @module
 */

import { openaiResponses } from "../../../dialects/openai_responses/dialect.ts";
import { compactedSchema, compactionRequest } from "../../../dialects/openai_responses/schemas.ts";
import { jsonBody } from "../shape/body_kind.ts";
import { CALL_ERRORS } from "../shape/model_endpoint.ts";
import { repeatableEndpoint } from "../shape/repeatable_endpoint.ts";
import { toResponseRequest } from "./create_response.ts";
import type { ApiDeps } from "../../context/api_deps.ts";

export const compactConversation = repeatableEndpoint({
  path: `${openaiResponses.words.path}/compact`,
  id: "compactConversation",
  summary: "Replace a conversation by a summary of it, at the price of a call",
  callsModel: true,
  family: openaiResponses.family,
  body: jsonBody(compactionRequest),
  answer: { schema: compactedSchema },
  errors: CALL_ERRORS,
  toRequest: (arrived) => arrived,
  serve: ({ responses }: ApiDeps) => ({
    answer: (arrived, once) => responses.compact(toResponseRequest(arrived, once)),
  }),
});
