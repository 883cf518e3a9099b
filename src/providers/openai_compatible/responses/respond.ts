/**
 * The Responses API at an upstream that has it.
 *
 * @module
 */

import type { Answer, AnswerEvent } from "../../../dialects/base/answer.ts";
import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import type { Conversation, ProviderCall } from "../../contract/provider.ts";
import { asObject, type JsonObject } from "../../../domain/json_value.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { collectStream, isEventStream } from "../../upstream/collect_stream.ts";
import { openEventStream } from "../../upstream/open_event_stream.ts";
import type { UpstreamResponse } from "../../transport/contract.ts";
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
            if (isEventStream(response)) return await collect(endpoint, response, context);
            return convertResponse(await endpoint.jsonOf(response, { room: call.room }), context);
          }),
      );
    },
    async stream(call, signal) {
      const reader = new ResponseReader(contextOf(endpoint, call, ids));
      return await ask(
        convertResponseRequest(call, { stream: true }),
        (body) =>
          openEventStream(endpoint, {
            path: PATH,
            body,
            reader,
            eventsOf: (whole) => eventsOfWhole(whole, reader),
            room: call.room,
            signal,
          }),
      );
    },
  };
}

/** Of a stream the last event has the whole response. */
async function collect(
  endpoint: Endpoint,
  upstream: UpstreamResponse,
  context: ResponseContext,
): Promise<Answer> {
  let body: JsonObject = {};
  const { usageBody: _usageBody, ...told } = await collectStream(endpoint, upstream, {
    reader: new ResponseReader(context),
    room: context.room,
    add: ({ response }) => body = asObject(response) ?? body,
  });
  return { ...told, body };
}

/** The events that a response in one piece would have had; `undefined` of what is none. */
function eventsOfWhole(
  response: JsonObject,
  reader: ResponseReader,
): readonly AnswerEvent[] | undefined {
  if (!Array.isArray(response.output)) return undefined;
  const events: AnswerEvent[] = [];
  reader.read({ type: "response.completed", response }, "", events);
  return events;
}

/**
 * Asks, and once more without the reasoning of earlier turns when this upstream
 * cannot open it: it was sealed by another account, which served those turns.
 */
async function ask<Outcome>(
  body: JsonObject,
  send: (body: string) => Promise<Outcome>,
): Promise<Outcome> {
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
