/**
 * `POST /v1/responses` (section 4.2 of the service specification).
 *
 * @module
 */

import type { Caller } from "../../../accounts/key_directory.ts";
import { GatewayError } from "../../../errors.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import { awaitTurn } from "../../../limits/await_turn.ts";
import type { Stay } from "../../../limits/stay.ts";
import type { ResponseRequest } from "../../../gateway/responses/responses.ts";
import type { ApiDeps } from "../../context/api_deps.ts";
import { arrive } from "../../callers/arrive.ts";
import { callRequest } from "../../call_request.ts";
import { idempotencyKey } from "../../idempotency/idempotency_key.ts";
import { modelCallerOf } from "../../callers/model_caller.ts";
import { type JsonBody, readJson } from "../../bodies/read_json.ts";
import { answerOnce, type Once, streamOnce } from "../../idempotency/repeatable_post.ts";
import type { AppContext } from "../../context/request_context.ts";
import { responseRequest, type ResponseRequestFields } from "../../schemas/response_request.ts";
import { validate } from "../../bodies/validate.ts";

/** Makes the handler. */
export function postResponse(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const caller = modelCallerOf(context, deps);
    const key = idempotencyKey(context.req.raw);
    const stay = arrive(deps, caller);
    try {
      const json = await readJson(context.req.raw, { ...deps.jsonLimits, budget: stay });
      refuseMessages(json.value);
      const fields = validate(responseRequest, withInput(json.value));
      context.env.note.model = fields.model;
      refuseUnsupported(fields);
      const post = {
        key,
        caller,
        stay,
        model: fields.model,
        path: "/responses",
        fingerprint: () => fingerprint(json.value),
      };
      const asked = { caller, stay, json, fields };
      if (fields.stream !== true) {
        const make = (once: Once) => deps.responses.answer(toRequest(context, asked, once));
        return await answerOnce(deps, context, { post, make });
      }
      const open = (once: Once) => deps.responses.stream(toRequest(context, asked, once));
      return await streamOnce(deps, context, { post, open });
    } finally {
      stay.leave();
    }
  };
}

function toRequest(
  context: AppContext,
  { caller, stay, json, fields }: {
    readonly caller: Caller;
    readonly stay: Stay;
    readonly json: JsonBody;
    readonly fields: ResponseRequestFields;
  },
  once: Once,
): ResponseRequest {
  const {
    store,
    background,
    previous_response_id: previousId,
    stream: _stream,
    stream_options: _streamOptions,
    conversation: _conversation,
    prompt: _prompt,
    ...body
  } = fields;
  return {
    call: callRequest(context, { caller, stay, json, fields, body, once }),
    previousId: previousId ?? undefined,
    isStored: store !== false,
    isBackground: background === true,
    reserve: (bytes) => stay.reserve(bytes),
    awaitTurn: (bytes) => awaitTurn(stay, bytes),
  };
}

/** A prompt template would bring its own input: it is refused for itself, not for the lack of one. */
function withInput(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("prompt" in value)) return value;
  return { input: "-", ...value };
}

/**
 * The mistake of who comes from chat: told as itself, not as the lack of an `input`.
 *
 * @throws {GatewayError} `missing_required_parameter`.
 */
function refuseMessages(value: unknown): void {
  if (typeof value !== "object" || value === null || !("messages" in value)) return;
  if ("input" in value || "prompt" in value) return;
  throw new GatewayError(
    "missing_required_parameter",
    "Missing required parameter 'input': 'messages' belongs to POST /v1/chat/completions, and the Responses API takes the same list as 'input'",
    { param: "input" },
  );
}

/** @throws {GatewayError} `not_supported`, naming the field. */
function refuseUnsupported(fields: ResponseRequestFields): void {
  const { conversation, prompt, background, store, stream } = fields;
  if (conversation !== undefined && conversation !== null) {
    throw unsupported("conversation", "name the answer to go on from as 'previous_response_id'");
  }
  if (prompt !== undefined && prompt !== null) {
    throw unsupported("prompt", "send the prompt itself as 'instructions' and 'input'");
  }
  if (background !== true) return;
  if (stream === true) {
    throw unsupported(
      "stream",
      "an answer in the background is asked for with GET",
      " together with 'background'",
    );
  }
  if (store === false) {
    throw new GatewayError(
      "invalid_value",
      "Invalid value for 'store': an answer in the background has to be kept, to be asked for",
      { param: "store" },
    );
  }
}

function unsupported(param: string, advice: string, when = ""): GatewayError {
  return new GatewayError("not_supported", `'${param}' is not supported here${when}: ${advice}`, {
    param,
  });
}
