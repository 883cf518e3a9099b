/**
 * An upstream's stream in the dialect of its caller, read by read.
 *
 * @module
 */

import type { AnswerEvent, AnswerRoom, AnswerStream } from "../dialects/base/answer.ts";
import type { EventQueue } from "../dialects/base/event_queue.ts";
import type { AnswerReader } from "../dialects/base/turns_format.ts";
import type { Terms } from "../domain/terms.ts";
import { UpstreamError } from "../domain/upstream_error.ts";
import { MAX_ANSWER_BYTES } from "./transport/limits.ts";

/** What converts it, and where what is kept of it is counted. */
export interface ConvertedStreamOptions {
  /** Tells the writer, which fills the queue. */
  readonly reader: AnswerReader;
  readonly events: EventQueue;
  readonly room: AnswerRoom | undefined;
}

export class ConvertedStream implements AnswerStream {
  readonly #upstream: AnswerStream;
  readonly #options: ConvertedStreamOptions;
  /** UTF-16 units that are kept for the blocks' ends. */
  #kept = 0;
  #terms: Terms | undefined;
  #isDone = false;

  constructor(upstream: AnswerStream, options: ConvertedStreamOptions) {
    this.#upstream = upstream;
    this.#options = options;
  }

  async next(): Promise<readonly AnswerEvent[] | undefined> {
    const { events: written } = this.#options;
    while (!this.#isDone) {
      const events = await this.#upstream.next();
      if (events === undefined) this.#finish();
      else for (const event of events) this.#add(event);
      if (!written.isEmpty) return written.take(this.#terms);
    }
    return undefined;
  }

  cancel(): void {
    this.#upstream.cancel();
  }

  cutShort(): readonly AnswerEvent[] {
    for (const event of this.#upstream.cutShort?.() ?? []) this.#add(event);
    this.#finish();
    return this.#options.events.take(this.#terms);
  }

  #add(event: AnswerEvent): void {
    const { reader, room } = this.#options;
    this.#terms = event.terms ?? this.#terms;
    this.#kept += event.text.length;
    room?.countAnswer(event.text.length);
    if (this.#kept > MAX_ANSWER_BYTES) {
      throw new UpstreamError("broken", "The upstream's stream is longer than any answer");
    }
    reader.addEvent(event);
  }

  #finish(): void {
    this.#isDone = true;
    this.#options.reader.end();
  }
}
