/**
 * `POST /v1/embeddings` (section 4.2 of the service specification).
 *
 * @module
 */

import { embeddingAnswer } from "../../gateway/create_embedding.ts";
import { fingerprint } from "../../idempotency/fingerprint.ts";
import type { ApiDeps } from "../context/api_deps.ts";
import { arrive } from "../callers/arrive.ts";
import { callRequest } from "../call_request.ts";
import { idempotencyKey } from "../idempotency/idempotency_key.ts";
import { modelCallerOf } from "../callers/model_caller.ts";
import { readJson } from "../bodies/read_json.ts";
import { answerOnce, type Once } from "../idempotency/repeatable_post.ts";
import type { AppContext } from "../context/request_context.ts";
import { embeddingRequest } from "../schemas/embedding_request.ts";
import { validate } from "../bodies/validate.ts";

/** Makes the handler. */
export function embeddings(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { raw } = context.req;
    const caller = modelCallerOf(context, deps);
    const key = idempotencyKey(raw);
    const stay = arrive(deps, caller);
    try {
      const json = await readJson(raw, { ...deps.jsonLimits, budget: stay });
      const fields = validate(embeddingRequest, json.value);
      context.env.note.model = fields.model;
      const post = {
        key,
        caller,
        stay,
        model: fields.model,
        path: "/embeddings",
        fingerprint: () => fingerprint(json.value),
      };
      const make = async (once: Once) => {
        const call = callRequest(context, { caller, stay, json, fields, body: fields, once });
        return await deps.engine.answer(call, embeddingAnswer);
      };
      return await answerOnce(deps, context, { post, make });
    } finally {
      stay.leave();
    }
  };
}
