/**
 * An answer as lines of text.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";
import { EventQueue } from "../turns/event_queue.ts";
import type { AnswerWriter } from "../turns/turns_format.ts";

/** See the module's text. */
export class ToyAnswerWriter implements AnswerWriter {
  readonly events = new EventQueue();
  readonly #tallyOf: (work: Work) => JsonObject;
  #said = "";
  #tally: JsonObject | undefined;

  constructor(tallyOf: (work: Work) => JsonObject) {
    this.#tallyOf = tallyOf;
  }

  get whole(): JsonObject {
    return { said: this.#said, ...(this.#tally !== undefined && { usage: this.#tally }) };
  }

  begin(): void {}
  open(): void {}

  write(_block: number, text: string): void {
    this.#said += text;
    this.events.add({ line: text }, text);
  }

  close(): void {}
  finish(): void {}
  tier(): void {}

  usage(work: Work | undefined): void {
    this.#tally = work && this.#tallyOf(work);
    this.events.report({ usage: work, usageBody: this.#tally });
  }

  end(): void {
    this.events.addLast({});
  }
}
