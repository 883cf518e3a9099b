/**
 * An upstream's event stream as provider events, whatever its events mean:
 * decoded and parsed read by read, nothing buffered beyond an event.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerRoom, AnswerStream } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { UpstreamResponse } from "../transport/contract.ts";
import { MAX_IMAGES_BYTES } from "../transport/limits.ts";
import { parseUpstreamJson } from "./upstream_json.ts";
import type { Framing, OnEvent } from "./event_parser.ts";
import { isObject, type JsonObject } from "../../domain/json_value.ts";

/** Knows what the events of one stream mean. One per stream. */
export interface EventReader {
  /** Data by which the upstream says that its stream is over; `undefined` where no event does. */
  readonly endMark: string | undefined;
  /** Whether the last event is in: what comes after it is not read. */
  readonly isOver: boolean;
  /**
   * For how long the rest is still waited for, where the answer is all there: then silence, a cut and
   * what has not ended by that time are its end. `undefined` while it is not.
   */
  readonly restMs?: number | undefined;
  /**
   * Takes an event and adds what it gives to `events`.
   *
   * @param value May be changed.
   * @param name Of the `event:` line, or "".
   * @throws {UpstreamError} When it says that the answer has failed.
   */
  read(value: JsonObject, name: string, events: AnswerEvent[]): void;
  /**
   * Adds the event of a text that need not be parsed, as one before it was the same but for the model's
   * words; says whether it did. Absent: all are parsed.
   */
  copy?(data: string, name: string, events: AnswerEvent[]): boolean;
  /**
   * Told the text of an event that was read, for others to be copied.
   *
   * @param made What was added for it, where that was one event.
   */
  learn?(data: string, name: string, made: AnswerEvent | undefined): void;
  /**
   * Takes the end, which came as the mark or as the end of the body, and adds what
   * is still owed.
   *
   * @throws {UpstreamError} `broken` when the stream may not end here.
   */
  end(by: "mark" | "body", events: AnswerEvent[]): void;
  /** Adds what ends the answer where it is, as one that has reached its output limit. */
  cutShort(events: AnswerEvent[]): void;
}

/** What a stream needs. */
export interface EventStreamOptions {
  readonly clock: Clock;
  readonly timeouts: ProviderTimeouts;
  /** Monotonic time at which the request was sent. */
  readonly sentAt: number;
  readonly reader: EventReader;
  /** How its events are told apart. */
  readonly framing: (onEvent: OnEvent) => Framing;
  /** @throws {UpstreamError} Of an event that is an error. */
  readonly refuseError: (value: JsonObject, name: string) => void;
  /** Where the longest event is counted, which is held until it is whole. */
  readonly room?: AnswerRoom | undefined;
}

/** A stream over an answer whose headers are in and say `text/event-stream`. */
export class EventStream implements AnswerStream {
  readonly #response: UpstreamResponse;
  readonly #options: EventStreamOptions;
  readonly #reader: EventReader;
  readonly #parser: Framing;
  #events: AnswerEvent[] = [];
  /** Thrown once the events that came before it are taken. */
  #failure: UpstreamError | GatewayError | undefined;
  #isDone = false;
  /** Characters of the longest event so far that came in several reads. */
  #longest = 0;
  #hasEvents = false;
  /** Since the last event that gave something. */
  #idleBytes = 0;
  /** Monotonic; absent while the answer is not all there. */
  #restUntil: number | undefined;

  constructor(response: UpstreamResponse, options: EventStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#reader = options.reader;
    this.#parser = options.framing((data, name) => this.#onData(data, name));
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    while (!this.#isDone && this.#failure === undefined) {
      const { restMs } = this.#reader;
      if (restMs === undefined) this.#restUntil = undefined;
      const bytes = restMs === undefined
        ? await this.#response.read(this.#limitMs())
        : await this.#readRest(restMs);
      if (bytes === undefined) this.#onEndOfBody();
      else this.#onBytes(bytes);
      if (this.#events.length > 0) {
        const events = this.#events;
        this.#events = [];
        this.#hasEvents = true;
        this.#idleBytes = 0;
        return events;
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
    return undefined;
  }

  cancel(): void {
    this.#response.close();
  }

  cutShort(): readonly AnswerEvent[] {
    this.#response.close();
    this.#isDone = true;
    const events: AnswerEvent[] = [];
    this.#reader.cutShort(events);
    return events;
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

  #onBytes(bytes: Uint8Array): void {
    this.#idleBytes += bytes.length;
    if (this.#idleBytes > MAX_IMAGES_BYTES) {
      this.#fail(
        new UpstreamError("broken", "The upstream sends events without end, and no answer"),
      );
    }
    try {
      this.#parser.read(bytes);
    } catch (error) {
      this.#fail(
        new UpstreamError("broken", "The upstream sent an unreadable event", {
          cause: error,
        }),
      );
    }
    if (this.#isDone) this.#response.release();
    else if (this.#failure !== undefined) this.#response.close();
    else this.#countPending();
  }

  #countPending(): void {
    const { pending } = this.#parser;
    if (pending <= this.#longest) return;
    this.#options.room?.countAnswer(pending - this.#longest);
    this.#longest = pending;
  }

  #onEndOfBody(): void {
    this.#parser.end();
    if (!this.#isDone && this.#failure === undefined) this.#end("body");
  }

  #onData(data: string, name: string): void {
    if (this.#isDone || this.#failure !== undefined) return;
    // Longer than a mark with any reasonable white space is something else.
    if (data.length < 32 && data.trim() === this.#reader.endMark) {
      this.#end("mark");
      return;
    }
    if (data === "" || this.#reader.copy?.(data, name, this.#events) === true) return;
    let value: unknown;
    try {
      value = parseUpstreamJson(data);
    } catch (error) {
      if (error instanceof UpstreamError) return this.#fail(error);
      // The parser's own message quotes the data, which is the model's words: not for a log.
      this.#fail(new UpstreamError("broken", "The upstream sent an event that is not JSON"));
      return;
    }
    if (!isObject(value)) {
      this.#fail(new UpstreamError("broken", "The upstream sent an event that is no object"));
      return;
    }
    try {
      this.#options.refuseError(value, name);
      const before = this.#events.length;
      this.#reader.read(value, name, this.#events);
      this.#isDone = this.#reader.isOver;
      const hasOne = this.#events.length === before + 1;
      this.#reader.learn?.(data, name, hasOne ? this.#events[before] : undefined);
    } catch (error) {
      this.#failOf(error);
    }
  }

  #end(by: "mark" | "body"): void {
    try {
      this.#reader.end(by, this.#events);
      this.#isDone = true;
    } catch (error) {
      this.#failOf(error);
    }
  }

  #failOf(error: unknown): void {
    if (!(error instanceof UpstreamError || error instanceof GatewayError)) throw error;
    this.#fail(error);
  }

  #fail(error: UpstreamError | GatewayError): void {
    this.#failure = error;
  }
}
