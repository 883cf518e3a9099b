/**
 * `POST /v1/chat/completions` (section 4.1 of the service specification).
 *
 * @module
 */

import type { ApiDeps } from "../context/api_deps.ts";
import { chatAnswer, chatStream } from "../../gateway/complete_chat.ts";
import { fingerprint } from "../../idempotency/fingerprint.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { arrive } from "../callers/arrive.ts";
import { callRequest } from "../call_request.ts";
import { idempotencyKey } from "../idempotency/idempotency_key.ts";
import { modelCallerOf } from "../callers/model_caller.ts";
import { readJson } from "../bodies/read_json.ts";
import { answerOnce, type Once, streamOnce } from "../idempotency/repeatable_post.ts";
import type { AppContext } from "../context/request_context.ts";
import { chatRequest } from "../schemas/chat_request.ts";
import { validate } from "../bodies/validate.ts";

/** Makes the handler. */
export function chatCompletions(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { raw } = context.req;
    const caller = modelCallerOf(context, deps);
    const key = idempotencyKey(raw);
    const stay = arrive(deps, caller);
    try {
      const json = await readJson(raw, { ...deps.jsonLimits, budget: stay });
      const fields = validate(chatRequest, json.value);
      context.env.note.model = fields.model;
      const post = {
        key,
        caller,
        stay,
        model: fields.model,
        path: "/chat/completions",
        fingerprint: () => fingerprint(json.value),
      };
      const body = json.value as JsonObject;
      const callOf = (once: Once) =>
        callRequest(context, { caller, stay, json, fields, body, once });
      if (fields.stream !== true) {
        const make = (once: Once) => deps.engine.answer(callOf(once), chatAnswer);
        return await answerOnce(deps, context, { post, make });
      }
      const open = (once: Once) => deps.engine.stream(callOf(once), chatStream);
      return await streamOnce(deps, context, { post, open });
    } finally {
      stay.leave();
    }
  };
}
