/**
 * `POST /v1/embeddings` (section 4.2 of the service specification).
 *
 * @module
 */

import { embeddingAnswer } from "../../gateway/create_embedding.ts";
import type { ApiDeps } from "../api_deps.ts";
import { callRequest } from "../call_request.ts";
import { jsonResponse } from "../json_response.ts";
import { callerOf } from "../middleware/authenticate.ts";
import { readJson } from "../read_json.ts";
import type { AppContext } from "../request_context.ts";
import { embeddingRequest } from "../schemas/embedding_request.ts";
import { validate } from "../validate.ts";

/** Makes the handler. */
export function embeddings(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { env: { identity }, req: { raw } } = context;
    const caller = callerOf(context, deps);
    const json = await readJson(raw, deps.jsonLimits);
    try {
      const fields = validate(embeddingRequest, json.value);
      const call = callRequest(context, { caller, json, fields, body: fields });
      return jsonResponse(await deps.engine.answer(call, embeddingAnswer), identity.requestId);
    } finally {
      json.release();
    }
  };
}
