/**
 * Asks an upstream for an event stream, and takes nothing else for one.
 *
 * @module
 */

import type { AnswerRoom, AnswerStream } from "../../dialects/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "../transport.ts";
import {
  type Endpoint,
  type EndpointRequest,
  errorText,
  isSuccess,
  parseBody,
  shortType,
} from "./endpoint.ts";
import { type EventReader, EventStream } from "./event_stream.ts";
import { errorInBand, isErrorObject } from "./map_error.ts";

/** What is asked, and who understands the answer. */
export interface StreamQuestion {
  readonly path: string;
  /** JSON. */
  readonly body: string;
  readonly reader: EventReader;
  readonly room: AnswerRoom | undefined;
  readonly signal: AbortSignal;
}

/**
 * Resolves when the upstream's headers are in and it is an event stream.
 *
 * @throws {UpstreamError}
 */
export async function openEventStream(
  endpoint: Endpoint,
  { path, body, reader, room, signal }: StreamQuestion,
): Promise<AnswerStream> {
  const { clock, timeouts } = endpoint;
  const sentAt = clock.monotonic();
  const request: Omit<EndpointRequest, "credential"> = {
    method: "POST",
    path,
    body,
    accept: "text/event-stream",
    stream: true,
  };
  const response = await endpoint.withKeys(async (credential) => {
    const opened = await endpoint.send({ ...request, credential }, signal);
    if (!isSuccess(opened.status)) throw await endpoint.errorOf(opened);
    if (/^text\/event-stream\b/i.test(opened.header("content-type") ?? "")) return opened;
    throw await notAStream(endpoint, opened);
  });
  return new EventStream(response, { clock, timeouts, sentAt, reader, room });
}

/** A 200 that is no event stream: an error in JSON keeps its meaning, all else is broken. */
async function notAStream(
  endpoint: Endpoint,
  response: UpstreamResponse,
): Promise<UpstreamError> {
  const type = response.header("content-type") ?? "";
  if (/\bjson\b/i.test(type)) {
    try {
      const body = parseBody(await errorText(response));
      if (isErrorObject(body)) return errorInBand(body, endpoint.concealed);
    } catch (error) {
      if (error instanceof UpstreamError) return error;
      throw error;
    }
  }
  response.close();
  return new UpstreamError(
    "broken",
    `The upstream answered with ${shortType(type)} where an event stream was asked`,
    { status: response.status },
  );
}
