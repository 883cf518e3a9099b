/**
 * A chat completion that goes on by callbacks for as long as it is an answer as most are: read as its
 * bytes come, by the same rules as one that is awaited.
 *
 * @module
 */

import {
  type Answer,
  type AnswerEvent,
  type AnswerRoom,
  type AnswerStream,
  brokenStream,
} from "../../../dialects/base/answer.ts";
import { UpstreamError } from "../../../domain/upstream_error.ts";
import { GatewayError } from "../../../errors.ts";
import type { BegunCall, BegunListener } from "../../contract/provider.ts";
import type { BegunExchange, UpstreamResponse } from "../../transport/contract.ts";
import { MAX_ANSWER_BYTES } from "../../transport/limits.ts";
import type { BegunAsk } from "../../upstream/begun_ask.ts";
import type { Endpoint } from "../../upstream/endpoint.ts";
import { EventFeed, type EventReader } from "../../upstream/event_feed.ts";
import { EventStream } from "../../upstream/event_stream.ts";
import type { Credential } from "../../upstream/key_ring.ts";
import { refuserOf, SERVER_SENT_EVENTS } from "../../upstream/open_event_stream.ts";

const JSON_ANSWER = /^application\/json\b/i;

/** What it is read by. */
export interface BegunChatOptions {
  readonly endpoint: Endpoint;
  readonly credential: Credential;
  readonly room: AnswerRoom | undefined;
  readonly listener: BegunListener;
  /** Makes the answer of a JSON text. @throws {UpstreamError} */
  readonly toAnswer: (text: string, status: number) => Answer;
  /** Reads the events of a stream; absent: the answer comes in one piece. */
  readonly reader: EventReader | undefined;
}

export class BegunChat implements BegunCall, BegunAsk {
  readonly #options: BegunChatOptions;
  readonly noted: number;
  readonly sentAt: number;
  #exchange: BegunExchange | undefined;
  #feed: EventFeed | undefined;
  /** Monotonic; absent while the answer is not all there. */
  #restUntil: number | undefined;
  /** What its answer turned out to be, for who reads on. */
  #failure: unknown;

  constructor(options: BegunChatOptions) {
    this.#options = options;
    const { endpoint } = options;
    this.noted = endpoint.keys.troubles.noted;
    this.sentAt = endpoint.clock.monotonic();
  }

  get credential(): Credential {
    return this.#options.credential;
  }

  get feed(): EventFeed | undefined {
    return this.#feed;
  }

  /** Is told of the exchange that it is about, before anything can have come of it. */
  begin(exchange: BegunExchange): void {
    this.#exchange = exchange;
  }

  onHead(): void {
    const exchange = this.#exchange!;
    const { listener, reader } = this.#options;
    const type = exchange.header("content-type") ?? "";
    const isWanted = exchange.status === 200 &&
      (reader === undefined ? JSON_ANSWER : SERVER_SENT_EVENTS.type).test(type);
    if (!isWanted || (reader === undefined && exchange.isLong)) return listener.onTrouble();
    if (reader !== undefined) {
      const { endpoint, room } = this.#options;
      const { framing } = SERVER_SENT_EVENTS;
      this.#feed = new EventFeed({ reader, framing, room, refuseError: refuserOf(endpoint) });
    }
    listener.onBytes();
  }

  onBytes(): void {
    this.#options.listener.onBytes();
  }

  onTrouble(): void {
    this.#options.listener.onTrouble();
  }

  answerNow(): Answer | undefined {
    const exchange = this.#exchange!;
    const { room, listener, toAnswer } = this.#options;
    try {
      const text = exchange.textNow(MAX_ANSWER_BYTES, room);
      if (text !== undefined) return toAnswer(text, exchange.status);
    } catch (error) {
      this.#fail(error);
      listener.onTrouble();
      return undefined;
    }
    if (exchange.isLong) listener.onTrouble();
    else exchange.moreThen(undefined);
    return undefined;
  }

  eventsNow(): readonly AnswerEvent[] | undefined {
    const exchange = this.#exchange!;
    const feed = this.#feed!;
    try {
      while (!feed.isDone && feed.failure === undefined) {
        const bytes = exchange.takeNow();
        if (bytes !== undefined) feed.push(bytes);
        else if (exchange.isWhole) feed.end();
        else break;
      }
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
    if (feed.isDone) exchange.release();
    return feed.take();
  }

  get isDone(): boolean {
    return this.#feed!.isDone;
  }

  get isOdd(): boolean {
    return this.#failure !== undefined || this.#feed!.failure !== undefined ||
      this.#exchange!.isBroken;
  }

  more(hasBegun: boolean): void {
    const { clock, timeouts: { idleMs, firstByteMs } } = this.#options.endpoint;
    const { restMs } = this.#feed!;
    if (restMs === undefined) this.#restUntil = undefined;
    if (restMs !== undefined) {
      // Whoever reads on knows that silence is the end then.
      this.#restUntil ??= clock.monotonic() + restMs;
      this.#exchange!.moreThen(Math.max(0, Math.min(this.#restUntil - clock.monotonic(), idleMs)));
    } else if (hasBegun) this.#exchange!.moreThen(idleMs);
    else this.#exchange!.moreThen(Math.max(0, this.sentAt + firstByteMs - clock.monotonic()));
  }

  putBack(events: readonly AnswerEvent[]): void {
    this.#feed?.putBack(events);
  }

  served(): void {
    const { keys } = this.#options.endpoint;
    const { reference } = this.credential;
    if (reference !== undefined) keys.troubles.forgive(reference, this.noted);
  }

  cancel(): void {
    this.#exchange!.close();
  }

  async response(signal: AbortSignal): Promise<UpstreamResponse> {
    if (this.#failure !== undefined) throw this.#failure;
    return await this.#exchange!.goOn(signal);
  }

  readOn(signal: AbortSignal): AnswerStream {
    const exchange = this.#exchange!;
    const { endpoint } = this.#options;
    exchange.goOnReading(signal);
    const stream = new EventStream(exchange, {
      clock: endpoint.clock,
      timeouts: endpoint.timeouts,
      sentAt: this.sentAt,
      feed: this.#feed!,
      hasEvents: true,
    });
    return this.#failure === undefined ? stream : brokenStream(stream, this.#failure);
  }

  #fail(error: unknown): void {
    this.#exchange!.close();
    this.#failure = error instanceof UpstreamError || error instanceof GatewayError
      ? error
      : new UpstreamError("broken", "The provider failed unexpectedly", { cause: error });
  }
}
