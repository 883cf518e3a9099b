/**
 * `POST /v1/messages/count_tokens`: how many tokens the prompt of a request would have. No model is
 * called and nothing is charged.
 *
 * @module
 */

import { anthropicMessages } from "../../../dialects/anthropic_messages/dialect.ts";
import { countRequest, countSchema } from "../../../dialects/anthropic_messages/schemas.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { countTokens } from "../../../gateway/count_tokens.ts";
import { jsonResponse } from "../../answers/text_response.ts";
import { arrive, modelCallerOf } from "../../callers/authenticate.ts";
import { jsonBody } from "../shape/body_kind.ts";
import type { Endpoint } from "../shape/endpoint.ts";
import { callRequest } from "../shape/model_endpoint.ts";
import { headersOf } from "../shape/request_headers.ts";
import { requireKnownVersion } from "./api_version.ts";

const { family, passedHeaders, words } = anthropicMessages;
const BODY = jsonBody(countRequest);

export const countMessageTokens: Endpoint = {
  method: "POST",
  path: `${words.path}/count_tokens`,
  family,
  description: {
    id: "countMessageTokens",
    summary: "How many tokens a prompt has: by the upstream where it tells, else by an estimate",
    callsModel: true,
    requestHeaders: passedHeaders,
    request: BODY.request,
    answer: { schema: countSchema },
    errors: [400, 401, ...BODY.errors, 403, 404, 429, 500, 503],
  },
  handler(deps) {
    const read = BODY.reader(deps);
    return async (context) => {
      const { req: { raw }, env } = context;
      const caller = modelCallerOf(context, deps);
      const stay = arrive(deps, caller);
      try {
        const body = await read(raw, stay, caller);
        const fields = BODY.check(body.value);
        env.note.model = fields.model;
        requireKnownVersion({ context });
        const request = callRequest(
          { context, caller, stay, body, fields: { ...fields, stream: false } },
          body.value as JsonObject,
          { signal: raw.signal, remember: undefined },
        );
        const count = await countTokens(deps.counting, {
          dialect: anthropicMessages,
          request: { ...request, headers: headersOf(raw, passedHeaders) },
        });
        return jsonResponse(count, env.identity.requestId);
      } finally {
        stay.leave();
      }
    };
  },
};
