/**
 * What a caller sees of a stream's events, and what the meter sees of them: events in, frames out,
 * with nothing that is waited for.
 *
 * @module
 */

import type { AnswerEvent } from "../dialects/base/answer.ts";
import type { StreamWriter } from "../dialects/base/dialect.ts";
import type { JsonObject } from "../domain/json_value.ts";
import type { OutputLimit, UsageMeter } from "../metering/usage_meter.ts";

/** What the events of one stream go through. */
export interface StreamFramesOptions {
  readonly writer: StreamWriter;
  readonly meter: UsageMeter;
  /** Tokens that the stream may have over all choices. */
  readonly mostTokens: OutputLimit | undefined;
  /** Told of seals on thoughts. */
  readonly onSeal?: ((seal: string) => void) | undefined;
}

export class StreamFrames {
  readonly #options: StreamFramesOptions;
  #hasBegun = false;
  #isFinished = false;
  #usageBody: JsonObject | undefined;

  constructor(options: StreamFramesOptions) {
    this.#options = options;
  }

  /** Whether anything of the answer was given to its caller. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Whether the answer is all there, but for its counts. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** The upstream's own counts, as far as they can be told. */
  get usageBody(): JsonObject | undefined {
    return this.#usageBody;
  }

  /** Whether the answer is clearly longer than it may be. */
  get isTooLong(): boolean {
    const { meter, mostTokens } = this.#options;
    return mostTokens !== undefined && !this.#isFinished && meter.isClearlyBeyond(mostTokens);
  }

  /** The frames of the next events; "" for none. */
  add(events: readonly AnswerEvent[]): string {
    const { meter, writer, onSeal } = this.#options;
    this.#hasBegun = true;
    let frames = "";
    for (const event of events) {
      meter.wrote(event.text, event.thoughts);
      if (event.terms !== undefined || event.usageBody !== undefined) {
        meter.report(event.usage, event.terms);
      }
      if (event.usageBody !== undefined) {
        this.#usageBody = event.usage === undefined ? undefined : event.usageBody;
      }
      if (event.finished) this.#isFinished = true;
      if (event.seal !== undefined) onSeal?.(event.seal);
      frames += writer.frame(event);
    }
    return frames;
  }
}
