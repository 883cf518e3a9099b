/**
 * `POST /v1/chat/completions` (section 4.1 of the service specification).
 *
 * @module
 */

import type { ApiDeps } from "../api_deps.ts";
import { chatAnswer, chatStream } from "../../gateway/complete_chat.ts";
import { fingerprint } from "../../idempotency/fingerprint.ts";
import { idempotencyKey } from "../idempotency_key.ts";
import { modelCallerOf } from "../middleware/model_caller.ts";
import { readJson } from "../read_json.ts";
import { answerOnce, type Once, streamOnce } from "../repeatable_post.ts";
import type { AppContext } from "../request_context.ts";
import { chatRequest } from "../schemas/chat_request.ts";
import { forwardedBody, sourceWishes } from "../schemas/routing_fields.ts";
import { validate } from "../validate.ts";

/** Makes the handler. */
export function chatCompletions(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { env, req } = context;
    const { identity, arrivedAt, note } = env;
    const request = req.raw;
    const caller = modelCallerOf(context, deps);
    const key = idempotencyKey(request);
    const json = await readJson(request, deps.jsonLimits);
    try {
      const fields = validate(chatRequest, json.value);
      const post = {
        key,
        projectId: caller.project.id,
        path: "/chat/completions",
        fingerprint: () => fingerprint(json.value),
      };
      const callOf = ({ signal, remember }: Once) => ({
        identity,
        caller,
        note,
        model: fields.model,
        wishes: sourceWishes(fields),
        body: forwardedBody(json.value as Record<string, unknown>),
        bodyBytes: json.bytes,
        signal,
        remember,
        arrivedAt,
      });
      if (fields.stream !== true) {
        const make = async (once: Once) =>
          JSON.stringify(await deps.engine.answer(callOf(once), chatAnswer));
        return await answerOnce(deps, context, { post, make });
      }
      const open = (once: Once) => deps.engine.stream(callOf(once), chatStream);
      return await streamOnce(deps, context, { post, open });
    } finally {
      json.release();
    }
  };
}
