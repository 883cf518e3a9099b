/**
 * An upstream's bytes as provider events, whatever its events mean: decoded and parsed as they are
 * given, nothing buffered beyond an event. It waits for nothing, and knows of no connection.
 *
 * @module
 */

import { GatewayError } from "../../errors.ts";
import type { AnswerEvent, AnswerRoom } from "../../dialects/base/answer.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
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

/** What a feed needs. */
export interface EventFeedOptions {
  readonly reader: EventReader;
  /** How its events are told apart. */
  readonly framing: (onEvent: OnEvent) => Framing;
  /** @throws {UpstreamError} Of an event that is an error. */
  readonly refuseError: (value: JsonObject, name: string) => void;
  /** Where the longest event is counted, which is held until it is whole. */
  readonly room?: AnswerRoom | undefined;
}

/** The events of one stream. */
export class EventFeed {
  readonly #options: EventFeedOptions;
  readonly #reader: EventReader;
  readonly #parser: Framing;
  #events: AnswerEvent[] = [];
  #failure: UpstreamError | GatewayError | undefined;
  #isDone = false;
  /** Characters of the longest event so far that came in several pieces. */
  #longest = 0;
  /** Since the last event that gave something. */
  #idleBytes = 0;

  constructor(options: EventFeedOptions) {
    this.#options = options;
    this.#reader = options.reader;
    this.#parser = options.framing((data, name) => this.#onData(data, name));
  }

  /** Whether the end is in: nothing more is wanted. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** What broke the stream, after the events that came before it: nothing more is wanted either. */
  get failure(): UpstreamError | GatewayError | undefined {
    return this.#failure;
  }

  /** See {@linkcode EventReader.restMs}. */
  get restMs(): number | undefined {
    return this.#reader.restMs;
  }

  /**
   * Takes the next bytes of the body.
   *
   * @throws {GatewayError} When there is no room for an event that is not whole yet.
   */
  push(bytes: Uint8Array): void {
    this.#idleBytes += bytes.length;
    if (this.#idleBytes > MAX_IMAGES_BYTES) {
      this.#failure = new UpstreamError(
        "broken",
        "The upstream sends events without end, and no answer",
      );
    }
    try {
      this.#parser.read(bytes);
    } catch (error) {
      this.#failure = new UpstreamError("broken", "The upstream sent an unreadable event", {
        cause: error,
      });
    }
    if (!this.#isDone && this.#failure === undefined) this.#countPending();
  }

  /** Takes the end of the body. */
  end(): void {
    this.#parser.end();
    if (!this.#isDone && this.#failure === undefined) this.#end("body");
  }

  /** The events that have come since the last time; `undefined` for none. */
  take(): readonly AnswerEvent[] | undefined {
    if (this.#events.length === 0) return undefined;
    const events = this.#events;
    this.#events = [];
    this.#idleBytes = 0;
    return events;
  }

  /** Events that were taken and told to nobody: they are the next to be taken. */
  putBack(events: readonly AnswerEvent[]): void {
    this.#events.unshift(...events);
  }

  /** Ends it where it is: the events that end the answer, as one that has reached its output limit. */
  cutShort(): readonly AnswerEvent[] {
    this.#isDone = true;
    const events: AnswerEvent[] = [];
    this.#reader.cutShort(events);
    return events;
  }

  #countPending(): void {
    const { pending } = this.#parser;
    if (pending <= this.#longest) return;
    this.#options.room?.countAnswer(pending - this.#longest);
    this.#longest = pending;
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
