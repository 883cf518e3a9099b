/**
 * Holds a stream back until the model has written something, so that a failure
 * before any output is an attempt that failed and another route may serve.
 *
 * @module
 */

import type { AnswerEvent, AnswerStream } from "../dialects/base/answer.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import type { OpenedStream } from "./stream_relay.ts";

/** Upstreams that send more than this without output are passed on as they are. */
export const MOST_HELD_EVENTS = 64;

/**
 * Reads a stream up to its first output.
 *
 * @param onLost Told of the events that had come when it throws.
 * @throws {UpstreamError} When it ends, breaks or carries an error before that.
 */
export async function openStream(
  stream: AnswerStream,
  onLost: (event: AnswerEvent) => void,
): Promise<OpenedStream> {
  const first: AnswerEvent[] = [];
  try {
    while (first.length < MOST_HELD_EVENTS) {
      const events = await stream.next();
      if (events === undefined) {
        if (first.length > 0) break;
        throw new UpstreamError("broken", "The upstream's stream ended before its first event");
      }
      first.push(...events);
      if (events.some(hasOutput)) break;
    }
    return { stream, first };
  } catch (error) {
    stream.cancel();
    first.forEach(onLost);
    throw error;
  }
}

/** Whether an event is something that its caller sees. */
export function hasOutput(event: AnswerEvent): boolean {
  return event.text !== "" || event.finished || event.isAtWork === true;
}
