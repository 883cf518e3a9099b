/**
 * Collects an answer that was asked for in one piece and comes as a stream of events all the same, as
 * some servers and relays send it whatever they are asked.
 *
 * @module
 */

import type { Answer, AnswerRoom } from "../../dialects/base/answer.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { countOrClose, tooLarge } from "../transport/collect_text.ts";
import { MAX_ANSWER_BYTES } from "../transport/limits.ts";
import type { Endpoint } from "./endpoint.ts";
import { EventFeed, type EventReader } from "./event_feed.ts";
import { EventStream } from "./event_stream.ts";
import { refuserOf, SERVER_SENT_EVENTS } from "./open_event_stream.ts";
import { isSuccess } from "./upstream_json.ts";

/** Who understands the events, and what becomes of them. */
export interface Collecting {
  readonly reader: EventReader;
  /** Where the events are counted as they come. */
  readonly room: AnswerRoom | undefined;
  /** Takes each event as a caller of a stream would have it. */
  readonly add: (chunk: JsonObject) => void;
}

/** What all events together say, whatever the body is that is made of them. */
export interface Collected extends Omit<Answer, "body"> {
  readonly usageBody: JsonObject | undefined;
}

/** Whether an answer is a stream of events. */
export function isEventStream(response: Pick<UpstreamResponse, "status" | "header">): boolean {
  const type = response.header("content-type") ?? "";
  return isSuccess(response.status) && SERVER_SENT_EVENTS.type.test(type);
}

/**
 * Reads a stream to its end. It may have as many bytes as an answer in one piece.
 *
 * @throws {UpstreamError} Where the stream is cut, late, too long, or says that the answer has failed.
 */
export async function collectStream(
  endpoint: Endpoint,
  response: UpstreamResponse,
  { reader, room, add }: Collecting,
): Promise<Collected> {
  const { clock, timeouts } = endpoint;
  const stream = new EventStream(bounded(response, room), {
    clock,
    // An answer that is asked for in one piece may be thought about for as long as it may take.
    timeouts: { ...timeouts, firstByteMs: timeouts.totalMs },
    sentAt: clock.monotonic(),
    feed: new EventFeed({
      reader,
      framing: SERVER_SENT_EVENTS.framing,
      refuseError: refuserOf(endpoint),
    }),
  });
  const take = (chunk: JsonObject) => {
    try {
      add(chunk);
    } catch (error) {
      // What refuses an event has no more of them: nobody else ends a stream that goes on.
      stream.cancel();
      throw error;
    }
  };
  let text = "";
  let told: Pick<Collected, "usage" | "usageBody" | "terms" | "seal"> = {
    usage: undefined,
    usageBody: undefined,
  };
  for (let events = await stream.next(); events !== undefined; events = await stream.next()) {
    for (const { chunk, text: written, usage, usageBody, terms, seal } of events) {
      take(chunk);
      text += written;
      if (usageBody !== undefined) told = { ...told, usage, usageBody };
      if (terms !== undefined) told = { ...told, terms };
      if (seal !== undefined) told = { ...told, seal };
    }
  }
  return { ...told, text: () => text };
}

/** The same answer, which ends where it is longer than any. */
function bounded(response: UpstreamResponse, room: AnswerRoom | undefined): UpstreamResponse {
  let size = 0;
  return {
    status: response.status,
    header: (name) => response.header(name),
    async read(limitMs) {
      const bytes = await response.read(limitMs);
      if (bytes === undefined) return undefined;
      size += bytes.length;
      if (size > MAX_ANSWER_BYTES) throw tooLarge(response, MAX_ANSWER_BYTES);
      countOrClose(response, bytes.length, room);
      return bytes;
    },
    text: (maxBytes) => response.text(maxBytes, room),
    close: () => response.close(),
    release: () => response.release(),
  };
}
