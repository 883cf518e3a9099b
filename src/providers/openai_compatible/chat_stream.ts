/**
 * An upstream's event stream as provider events: decoded, parsed and repaired
 * read by read, nothing buffered beyond an event.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { ProviderTimeouts } from "../../domain/catalogue.ts";
import { type ProviderEvent, type ProviderStream, UpstreamError } from "../provider.ts";
import type { UpstreamResponse } from "../transport.ts";
import { ChunkRepairer } from "./chunk_repairer.ts";
import type { Concealed } from "./clean_message.ts";
import type { AnswerContext } from "./convert_answer.ts";
import { EventParser } from "./event_parser.ts";
import { isObject } from "../json_value.ts";
import { errorInBand, isErrorObject } from "./map_error.ts";

/** What a stream needs. */
export interface ChatStreamOptions {
  readonly clock: Clock;
  readonly timeouts: ProviderTimeouts;
  /** Monotonic time at which the request was sent. */
  readonly sentAt: number;
  readonly context: AnswerContext;
  readonly concealed: Concealed;
}

/** A stream over an answer whose headers are in and say `text/event-stream`. */
export class ChatStream implements ProviderStream {
  readonly #response: UpstreamResponse;
  readonly #options: ChatStreamOptions;
  readonly #decoder = new TextDecoder();
  readonly #repairer: ChunkRepairer;
  readonly #parser: EventParser;
  #events: ProviderEvent[] = [];
  /** Thrown once the events that came before it are taken. */
  #failure: UpstreamError | undefined;
  #isDone = false;
  #hasEvents = false;

  constructor(response: UpstreamResponse, options: ChatStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#repairer = new ChunkRepairer(options.context);
    this.#parser = new EventParser((data, name) => this.#onData(data, name));
  }

  async next(): Promise<readonly ProviderEvent[] | undefined> {
    while (!this.#isDone && this.#failure === undefined) {
      const bytes = await this.#response.read(this.#limitMs());
      if (bytes === undefined) this.#onEndOfBody();
      else this.#onBytes(bytes);
      if (this.#events.length > 0) {
        const events = this.#events;
        this.#events = [];
        this.#hasEvents = true;
        return events;
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
    return undefined;
  }

  cancel(): void {
    this.#response.close();
  }

  /** Until the first event what is left of the first-byte limit, then the idle limit. */
  #limitMs(): number {
    const { timeouts, sentAt, clock } = this.#options;
    if (this.#hasEvents) return timeouts.idleMs;
    return Math.max(0, sentAt + timeouts.firstByteMs - clock.monotonic());
  }

  #onBytes(bytes: Uint8Array): void {
    try {
      this.#parser.push(this.#decoder.decode(bytes, { stream: true }));
    } catch (error) {
      this.#fail(
        new UpstreamError("broken", "The upstream sent an unreadable event", {
          cause: error,
        }),
      );
    }
    if (this.#isDone) this.#response.release();
    else if (this.#failure !== undefined) this.#response.close();
  }

  #onEndOfBody(): void {
    this.#parser.push(this.#decoder.decode());
    this.#parser.end();
    if (this.#isDone || this.#failure !== undefined) return;
    if (this.#repairer.isComplete) {
      this.#end();
      return;
    }
    this.#fail(
      new UpstreamError(
        "broken",
        this.#repairer.hasBegun
          ? "The upstream cut its stream before a finish reason"
          : "The upstream sent an empty stream",
      ),
    );
  }

  #onData(data: string, name: string): void {
    if (this.#isDone || this.#failure !== undefined) return;
    // Longer than `[DONE]` with any reasonable white space is something else.
    if (data.length < 32 && data.trim() === "[DONE]") {
      if (this.#repairer.hasBegun) this.#end();
      else this.#fail(new UpstreamError("broken", "The upstream sent an empty stream"));
      return;
    }
    if (data === "") return;
    let value: unknown;
    try {
      value = JSON.parse(data);
    } catch {
      // The parser's own message quotes the data, which is the model's words: not for a log.
      this.#fail(new UpstreamError("broken", "The upstream sent an event that is not JSON"));
      return;
    }
    if (!isObject(value)) {
      this.#fail(new UpstreamError("broken", "The upstream sent an event that is no object"));
    } else if (isErrorObject(value, name)) {
      this.#fail(errorInBand(value, this.#options.concealed));
    } else {
      this.#repairer.add(value, this.#events);
    }
  }

  #end(): void {
    this.#repairer.finish(this.#events);
    this.#isDone = true;
  }

  #fail(error: UpstreamError): void {
    this.#failure = error;
  }
}
