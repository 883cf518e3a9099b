/**
 * `POST /v1/responses` (section 4.2 of the service specification).
 *
 * @module
 */

import { GatewayError } from "../../../errors.ts";
import type { ResponseRequest } from "../../../gateway/responses/responses.ts";
import { awaitTurn } from "../../../limits/await_turn.ts";
import type { Once } from "../../idempotency/repeatable_post.ts";
import {
  type ConversationFields,
  responseRequest,
  type ResponseRequestFields,
} from "../../../dialects/openai_responses/schemas.ts";
import { openaiResponses } from "../../../dialects/openai_responses/dialect.ts";
import { withFirstModel } from "../../../dialects/base/routing_fields.ts";
import { jsonBody } from "../shape/body_kind.ts";
import { CALL_ERRORS, callRequest, STREAM_ANSWER } from "../shape/model_endpoint.ts";
import { type Arrived, repeatableEndpoint } from "../shape/repeatable_endpoint.ts";
import type { ApiDeps } from "../../context/api_deps.ts";

type ArrivedResponse = Arrived<ResponseRequestFields>;

export const createResponse = repeatableEndpoint({
  path: openaiResponses.words.path,
  id: "createResponse",
  summary: "Answer in a conversation, at once, as a stream or in the background",
  callsModel: true,
  keepsPrompts: true,
  cached: "responses",
  // One that is kept has an id of its own, by which a conversation goes on.
  mayCache: ({ store, background, previous_response_id: previous }) =>
    store === false && background !== true && (previous ?? undefined) === undefined,
  isBatchable: true,
  family: openaiResponses.family,
  body: jsonBody(responseRequest, (value) => withFirstModel(withInput(refuseMessages(value)))),
  answer: { schema: openaiResponses.answer, ...STREAM_ANSWER },
  errors: CALL_ERRORS,
  toRequest: refuseUnsupported,
  serve: ({ responses }: ApiDeps) => ({
    answer: (arrived, once) => responses.answer(toResponseRequest(arrived, once)),
    stream: (arrived, once) => responses.stream(toResponseRequest(arrived, once)),
  }),
});

/** The request of a path that works on a conversation; without input it is what it goes on from. */
export function toResponseRequest(
  arrived: Arrived<ConversationFields>,
  once: Once,
): ResponseRequest {
  const {
    input,
    store,
    background,
    previous_response_id: previousId,
    stream: _stream,
    stream_options: _streamOptions,
    conversation: _conversation,
    prompt: _prompt,
    ...body
  } = arrived.fields;
  const { stay } = arrived;
  return {
    call: callRequest(arrived, { ...body, input: input ?? [] }, once),
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
function refuseMessages(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("messages" in value)) return value;
  if ("input" in value || "prompt" in value) return value;
  throw new GatewayError(
    "missing_required_parameter",
    "Missing required parameter 'input': 'messages' belongs to POST /v1/chat/completions, and the Responses API takes the same list as 'input'",
    { param: "input" },
  );
}

/** @throws {GatewayError} `not_supported`, naming the field. */
function refuseUnsupported(arrived: ArrivedResponse): ArrivedResponse {
  const { conversation, prompt, background, store, stream } = arrived.fields;
  if (conversation !== undefined && conversation !== null) {
    throw unsupported("conversation", "name the answer to go on from as 'previous_response_id'");
  }
  if (prompt !== undefined && prompt !== null) {
    throw unsupported("prompt", "send the prompt itself as 'instructions' and 'input'");
  }
  if (background !== true) return arrived;
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
  return arrived;
}

function unsupported(param: string, advice: string, when = ""): GatewayError {
  return new GatewayError("not_supported", `'${param}' is not supported here${when}: ${advice}`, {
    param,
  });
}
