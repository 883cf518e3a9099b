/**
 * `POST /v1/responses/input_tokens`: how many tokens the input of a request would have.
 *
 * @module
 */

import { openaiResponses } from "../../../dialects/openai_responses/dialect.ts";
import { inputCountSchema, inputQuestion } from "../../../dialects/openai_responses/schemas.ts";
import { jsonBody } from "../shape/body_kind.ts";
import { countEndpoint } from "../shape/count_endpoint.ts";
import { toResponseRequest } from "./create_response.ts";

export const countInputTokens = countEndpoint({
  path: `${openaiResponses.words.path}/input_tokens`,
  id: "countInputTokens",
  dialect: openaiResponses,
  body: jsonBody(inputQuestion),
  answer: inputCountSchema,
  toCall: ({ responses }) => (arrived, once) =>
    responses.conversationOf(toResponseRequest(arrived, once)),
  tell: ({ count: { input_tokens }, isEstimated }) => ({
    object: "response.input_tokens",
    input_tokens,
    estimated: isEstimated,
  }),
});
