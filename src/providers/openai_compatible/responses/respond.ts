/**
 * The Responses API at an upstream that has it.
 *
 * @module
 */

import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import type { Conversation, ProviderCall } from "../../contract/provider.ts";
import type { JsonObject } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { openEventStream } from "../../upstream/open_event_stream.ts";
import { convertResponseRequest, isSealed } from "./convert_response_request.ts";
import { convertResponse, type ResponseContext } from "./repair_response.ts";
import { ResponseReader } from "./response_reader.ts";

const PATH = "/responses";

/** The exchange on routes that are said to have the API: of one account's models some may lack it. */
export function createResponses(endpoint: Endpoint, ids: CompletionIds): Conversation {
  return {
    isOn: ({ supports }) => supports.responses === true,
    async answer(call, signal) {
      const context = contextOf(endpoint, call, ids);
      return await ask(
        convertResponseRequest(call, { stream: false }),
        (body) =>
          endpoint.withKeys(async (credential) => {
            const request = { method: "POST", path: PATH, body, credential } as const;
            const response = await endpoint.send(request, signal);
            return convertResponse(await endpoint.jsonOf(response, { room: call.room }), context);
          }),
      );
    },
    async stream(call, signal) {
      const reader = new ResponseReader(contextOf(endpoint, call, ids));
      return await ask(
        convertResponseRequest(call, { stream: true }),
        (body) => openEventStream(endpoint, { path: PATH, body, reader, room: call.room, signal }),
      );
    },
  };
}

/**
 * Asks, and once more without the reasoning of earlier turns when this upstream
 * cannot open it: it was sealed by another account, which served those turns.
 */
async function ask<Answer>(
  body: JsonObject,
  send: (body: string) => Promise<Answer>,
): Promise<Answer> {
  const { input } = body;
  try {
    return await send(JSON.stringify(body));
  } catch (error) {
    const isRefused = error instanceof UpstreamError && isAboutSeal(error);
    if (!isRefused || !Array.isArray(input) || !input.some(isSealed)) throw callersFault(error);
  }
  try {
    const opened = input.filter((item) => !isSealed(item));
    return await send(JSON.stringify({ ...body, input: opened }));
  } catch (error) {
    throw callersFault(error);
  }
}

function isAboutSeal({ failure, code, publicMessage }: UpstreamError): boolean {
  return failure === "caller" &&
    (code === "invalid_encrypted_content" ||
      /encrypted content .*could not be (?:verified|decrypted)/is.test(publicMessage ?? ""));
}

/**
 * A 404 that names another parameter than the model is about something in the
 * request (a file, an earlier item): the route serves everybody else as before.
 */
function callersFault(error: unknown): unknown {
  if (!(error instanceof UpstreamError) || error.status !== 404) return error;
  const { failure, code, param, publicMessage } = error;
  if (failure !== "doubtful" || param === undefined || param === "model") return error;
  return new UpstreamError("caller", "The upstream answered 404", {
    status: 400,
    code,
    param,
    publicMessage,
    cause: error.cause,
  });
}

function contextOf(
  endpoint: Endpoint,
  { route, body, room }: ProviderCall,
  ids: CompletionIds,
): ResponseContext {
  return {
    ids,
    clock: endpoint.clock,
    upstreamModel: route.upstreamModel,
    bounds: { contextTokens: route.supports.contextTokens },
    room,
    request: body,
    concealed: endpoint.concealed,
  };
}
