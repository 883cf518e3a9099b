/**
 * An upstream's event stream as provider events, read by read: what is waited for, and for how long.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import type { AnswerEvent, AnswerStream } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import type { EventFeed } from "./event_feed.ts";

/** What a stream needs. */
export interface EventStreamOptions {
  readonly clock: Clock;
  readonly timeouts: ProviderTimeouts;
  /** Monotonic time at which the request was sent. */
  readonly sentAt: number;
  /** Takes the bytes, of which it may have had some. */
  readonly feed: EventFeed;
  /** Whether some of its events were read already; absent: none were. */
  readonly hasEvents?: boolean;
}

/** A stream over an answer whose headers are in and say `text/event-stream`. */
export class EventStream implements AnswerStream {
  readonly #response: UpstreamResponse;
  readonly #options: EventStreamOptions;
  readonly #feed: EventFeed;
  #hasEvents: boolean;
  /** Monotonic; absent while the answer is not all there. */
  #restUntil: number | undefined;

  constructor(response: UpstreamResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#feed = options.feed;
    this.#hasEvents = options.hasEvents === true;
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    const feed = this.#feed;
    const waiting = feed.take();
    if (waiting !== undefined) {
      this.#hasEvents = true;
      return waiting;
    }
    while (!feed.isDone && feed.failure === undefined) {
      const { restMs } = feed;
      if (restMs === undefined) this.#restUntil = undefined;
      const bytes = restMs === undefined
        ? await this.#response.read(this.#limitMs())
        : await this.#readRest(restMs);
      if (bytes === undefined) feed.end();
      else {
        feed.push(bytes);
        if (feed.isDone) this.#response.release();
        else if (feed.failure !== undefined) this.#response.close();
      }
      const events = feed.take();
      if (events !== undefined) {
        this.#hasEvents = true;
        return events;
      }
    }
    if (feed.failure !== undefined) throw feed.failure;
    return undefined;
  }

  cancel(): void {
    this.#response.close();
  }

  cutShort(): readonly AnswerEvent[] {
    this.#response.close();
    return this.#feed.cutShort();
  }

  async #readRest(restMs: number): Promise<Uint8Array | undefined> {
    const now = this.#options.clock.monotonic();
    this.#restUntil ??= now + restMs;
    if (now >= this.#restUntil) {
      this.#response.close();
      return undefined;
    }
    try {
      return await this.#response.read(Math.min(this.#restUntil - now, this.#limitMs()));
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.failure !== "broken") throw error;
      this.#response.close();
      return undefined;
    }
  }

  /** Until the first event what is left of the first-byte limit, then the idle limit. */
  #limitMs(): number {
    const { timeouts, sentAt, clock } = this.#options;
    if (this.#hasEvents) return timeouts.idleMs;
    return Math.max(0, sentAt + timeouts.firstByteMs - clock.monotonic());
  }
}
