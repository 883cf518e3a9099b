/**
 * `POST /v1/messages/count_tokens`: how many tokens the prompt of a request would have.
 *
 * @module
 */

import { anthropicMessages } from "../../../dialects/anthropic_messages/dialect.ts";
import { countRequest, countSchema } from "../../../dialects/anthropic_messages/schemas.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { jsonBody } from "../shape/body_kind.ts";
import { countEndpoint } from "../shape/count_endpoint.ts";
import { callRequest } from "../shape/model_endpoint.ts";
import { headersOf } from "../shape/request_headers.ts";
import { requireKnownVersion } from "./api_version.ts";

const { passedHeaders, words } = anthropicMessages;

export const countMessageTokens = countEndpoint({
  path: `${words.path}/count_tokens`,
  id: "countMessageTokens",
  dialect: anthropicMessages,
  body: jsonBody(countRequest),
  answer: countSchema,
  toCall: () => (arrived, once) => {
    const { context } = arrived;
    requireKnownVersion({ context });
    const call = callRequest(arrived, arrived.body.value as JsonObject, once);
    return { ...call, headers: headersOf(context.req.raw, passedHeaders) };
  },
  tell: ({ count }) => count,
});
