/**
 * `POST /v1/chat/completions` (section 4.1 of the service specification).
 *
 * @module
 */

import type { ApiDeps } from "../api_deps.ts";
import { chatAnswer, chatStream } from "../../gateway/complete_chat.ts";
import { eventStreamResponse } from "../event_stream_response.ts";
import { jsonResponse } from "../json_response.ts";
import { callerOf } from "../middleware/authenticate.ts";
import { readJson } from "../read_json.ts";
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
    const caller = callerOf(context, deps);
    const json = await readJson(request, deps.jsonLimits);
    try {
      const fields = validate(chatRequest, json.value);
      const call = {
        identity,
        caller,
        note,
        model: fields.model,
        wishes: sourceWishes(fields),
        body: forwardedBody(json.value as Record<string, unknown>),
        bodyBytes: json.bytes,
        signal: request.signal,
        arrivedAt,
      };
      if (fields.stream !== true) {
        return jsonResponse(await deps.engine.answer(call, chatAnswer), identity.requestId);
      }
      return eventStreamResponse(await deps.engine.stream(call, chatStream), identity.requestId);
    } finally {
      json.release();
    }
  };
}
