/**
 * Asks an upstream for an event stream, and takes nothing else for one.
 *
 * @module
 */

import type { AnswerEvent, AnswerRoom, AnswerStream } from "../../dialects/base/answer.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { LongTexts } from "../../files/long_texts.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import type { Endpoint, EndpointRequest } from "./endpoint.ts";
import type { Credential } from "./key_ring.ts";
import { sieveTexts } from "./sieve_texts.ts";
import { errorText, isSuccess, parseBody, shortType } from "./upstream_json.ts";
import { EventParser, type Framing, type OnEvent } from "./event_parser.ts";
import type { BegunAsk } from "./begun_ask.ts";
import { EventFeed, type EventReader } from "./event_feed.ts";
import { EventStream } from "./event_stream.ts";

/** How a kind of upstream sends its events. */
export interface StreamMedia {
  /** For `Accept`. */
  readonly accept: string;
  /** Content types that are such a stream. */
  readonly type: RegExp;
  readonly framing: (onEvent: OnEvent) => Framing;
}

/** WHATWG HTML, section 9.2. */
export const SERVER_SENT_EVENTS: StreamMedia = {
  accept: "text/event-stream",
  type: /^text\/event-stream\b/i,
  framing: (onEvent) => new EventParser(onEvent),
};

const JSON_TYPE = /\bjson\b/i;

/** What is asked, and who understands the answer. */
export interface StreamQuestion {
  readonly path: string;
  /** A function where it depends on who asks. */
  readonly body?: EndpointRequest["body"] | ((credential: Credential) => string);
  /** Of the body; JSON unless said otherwise. */
  readonly contentType?: EndpointRequest["contentType"];
  readonly reader: EventReader;
  /**
   * The events that an answer in one piece, which some upstreams give whatever they are asked, would have
   * had; `undefined` of what is none. Absent: such an answer is broken.
   */
  readonly eventsOf?: (whole: JsonObject) => readonly AnswerEvent[] | undefined;
  /** Most that an answer in one piece may be; default: as other answers in JSON. */
  readonly maxWholeBytes?: number;
  /** Of the caller's, those that go on; absent: none. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Default: server-sent events. */
  readonly media?: StreamMedia;
  readonly room: AnswerRoom | undefined;
  /** Where long texts of the events go; absent: they are part of them. */
  readonly longTexts?: LongTexts | undefined;
  readonly signal: AbortSignal;
  /** What was asked already, for the same path and body; absent: nothing was. */
  readonly begun?: BegunAsk | undefined;
}

/**
 * Resolves when the upstream's headers are in and it is an event stream.
 *
 * @throws {UpstreamError}
 */
export async function openEventStream(
  endpoint: Endpoint,
  question: StreamQuestion,
): Promise<AnswerStream> {
  const { path, body, contentType, headers, reader, media = SERVER_SENT_EVENTS, room, signal } =
    question;
  const { clock, timeouts } = endpoint;
  const { begun } = question;
  const sentAt = begun?.sentAt ?? clock.monotonic();
  const request: Omit<EndpointRequest, "credential"> = {
    method: "POST",
    path,
    contentType,
    accept: media.accept,
    headers,
    stream: true,
  };
  const bodyFor = (credential: Credential) => typeof body === "function" ? body(credential) : body;
  const response = await endpoint.withKeys(async (credential, asked) => {
    const opened = await (asked?.response(signal) ??
      endpoint.send({ ...request, body: bodyFor(credential), credential }, signal));
    if (!isSuccess(opened.status)) throw await endpoint.errorOf(opened);
    const type = opened.header("content-type") ?? "";
    if (media.type.test(type)) return opened;
    if (question.eventsOf !== undefined && JSON_TYPE.test(type)) {
      return await wholeStream(endpoint, opened, question);
    }
    throw await notAStream(endpoint, opened);
  }, begun);
  if (response instanceof WholeStream) return response;
  const { longTexts } = question;
  const read = longTexts === undefined
    ? response
    : sieveTexts(response, { texts: longTexts, timeouts });
  return new EventStream(read, {
    clock,
    timeouts,
    sentAt,
    feed: begun?.feed ??
      new EventFeed({ reader, room, framing: media.framing, refuseError: refuserOf(endpoint) }),
  });
}

/** Apart, so that a stream does not keep the question alive, with all that was sent. */
export function refuserOf(endpoint: Endpoint): (value: JsonObject, name: string) => void {
  return (value, name) => endpoint.refuseError(value, name);
}

async function wholeStream(
  endpoint: Endpoint,
  response: UpstreamResponse,
  { eventsOf, maxWholeBytes: maxBytes, room, longTexts }: StreamQuestion,
): Promise<WholeStream> {
  const { status } = response;
  const events = eventsOf!(await endpoint.jsonOf(response, { maxBytes, room, longTexts }));
  if (events !== undefined) return new WholeStream(events);
  throw new UpstreamError("broken", "The upstream's answer in one piece is none", { status });
}

/** An answer that is all there. */
class WholeStream implements AnswerStream {
  #events: readonly AnswerEvent[] | undefined;

  constructor(events: readonly AnswerEvent[]) {
    this.#events = events;
  }

  next(): Promise<readonly AnswerEvent[] | undefined> {
    const events = this.#events;
    this.#events = undefined;
    return Promise.resolve(events);
  }

  cancel(): void {}
}

/** A 200 that is no event stream: an error in JSON keeps its meaning, all else is broken. */
export async function notAStream(
  endpoint: Endpoint,
  response: UpstreamResponse,
): Promise<UpstreamError> {
  const type = response.header("content-type") ?? "";
  if (JSON_TYPE.test(type)) {
    try {
      endpoint.refuseError(parseBody(await errorText(response), endpoint.errors));
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
