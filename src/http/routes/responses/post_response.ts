/**
 * `POST /v1/responses` (section 4.2 of the service specification).
 *
 * @module
 */

import type { Caller } from "../../../accounts/key_directory.ts";
import { GatewayError } from "../../../errors.ts";
import { fingerprint } from "../../../idempotency/fingerprint.ts";
import type { ResponseRequest } from "../../../gateway/responses/responses.ts";
import type { ApiDeps } from "../../api_deps.ts";
import { idempotencyKey } from "../../idempotency_key.ts";
import { modelCallerOf } from "../../middleware/model_caller.ts";
import { type JsonBody, readJson } from "../../read_json.ts";
import { answerOnce, type Once, streamOnce } from "../../repeatable_post.ts";
import type { AppContext } from "../../request_context.ts";
import { responseRequest, type ResponseRequestFields } from "../../schemas/response_request.ts";
import { forwardedBody, sourceWishes } from "../../schemas/routing_fields.ts";
import { validate } from "../../validate.ts";

/** Makes the handler. */
export function postResponse(deps: ApiDeps): (context: AppContext) => Promise<Response> {
  return async (context) => {
    const caller = modelCallerOf(context, deps);
    const key = idempotencyKey(context.req.raw);
    const json = await readJson(context.req.raw, deps.jsonLimits);
    try {
      const fields = validate(responseRequest, withInput(json.value));
      refuseUnsupported(fields);
      const post = {
        key,
        projectId: caller.project.id,
        path: "/responses",
        fingerprint: () => fingerprint(json.value),
      };
      const asked = { caller, json, fields };
      if (fields.stream !== true) {
        const make = async (once: Once) =>
          JSON.stringify(await deps.responses.answer(toRequest(context, asked, once)));
        return await answerOnce(deps, context, { post, make });
      }
      const open = (once: Once) => deps.responses.stream(toRequest(context, asked, once));
      return await streamOnce(deps, context, { post, open });
    } finally {
      json.release();
    }
  };
}

function toRequest(
  { env: { identity, note, arrivedAt } }: AppContext,
  { caller, json, fields }: {
    readonly caller: Caller;
    readonly json: JsonBody;
    readonly fields: ResponseRequestFields;
  },
  { signal, remember }: Once,
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
  } = forwardedBody(fields) as ResponseRequestFields;
  return {
    call: {
      identity,
      caller,
      note,
      model: fields.model,
      wishes: sourceWishes(fields),
      body,
      bodyBytes: json.bytes,
      signal,
      remember,
      arrivedAt,
    },
    previousId: previousId ?? undefined,
    isStored: store !== false,
    isBackground: background === true,
  };
}

/** A prompt template would bring its own input: it is refused for itself, not for the lack of one. */
function withInput(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("prompt" in value)) return value;
  return { input: "-", ...value };
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
