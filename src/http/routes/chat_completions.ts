/**
 * `POST /v1/chat/completions` (section 4.1 of the service specification).
 *
 * @module
 */

import type { ApiDeps } from "../api_deps.ts";
import { chatAnswer, chatStream } from "../../gateway/complete_chat.ts";
import type { JsonObject } from "../../providers/provider.ts";
import { callRequest } from "../call_request.ts";
import { eventStreamResponse } from "../event_stream_response.ts";
import { jsonResponse } from "../json_response.ts";
import { callerOf } from "../middleware/authenticate.ts";
import { readJson } from "../read_json.ts";
import type { AppContext } from "../request_context.ts";
import { chatRequest } from "../schemas/chat_request.ts";
import { validate } from "../validate.ts";

/** Makes the handler. */
export function chatCompletions(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const { env: { identity }, req: { raw } } = context;
    const caller = callerOf(context, deps);
    const json = await readJson(raw, deps.jsonLimits);
    try {
      const fields = validate(chatRequest, json.value);
      const body = json.value as JsonObject;
      const call = callRequest(context, { caller, json, fields, body });
      if (fields.stream !== true) {
        return jsonResponse(await deps.engine.answer(call, chatAnswer), identity.requestId);
      }
      return eventStreamResponse(await deps.engine.stream(call, chatStream), identity.requestId);
    } finally {
      json.release();
    }
  };
}
