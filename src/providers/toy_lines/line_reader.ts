/**
 * What the lines mean: `{"say": …}`, `{"heard": …, "said": …}` at the end, `{"oops": …}`.
 *
 * @module
 */

import type { AnswerEvent } from "../../dialects/answer.ts";
import { usageBody } from "../../dialects/openai/normalise_usage.ts";
import { type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Work } from "../../domain/work.ts";
import type { Concealed } from "../upstream/clean_message.ts";
import { type ErrorForm, NO_BODY } from "../upstream/error_form.ts";
import type { EventReader } from "../upstream/event_stream.ts";
import { errorOfBody } from "../upstream/make_error.ts";

/** How the toy tells errors: a line of text, or `oops` among its lines. */
export const TOY_ERRORS: ErrorForm = {
  parse: (text) => ({ ...NO_BODY, message: nonEmptyString(text.trim()) }),
  read: ({ oops }) => ({ ...NO_BODY, message: nonEmptyString(oops) }),
  isError: ({ oops }) => oops !== undefined,
};

/** Fields of every chunk. */
export interface Head {
  readonly id: string;
  readonly created: number;
  readonly model: string;
}

/** Makes chat chunks of lines. */
export class LineReader implements EventReader {
  readonly endMark = undefined;
  isOver = false;
  /** All that was said. */
  said = "";
  usage: Work | undefined;
  readonly #head: Head;
  readonly #concealed: Concealed;

  constructor(head: Head, concealed: Concealed) {
    this.#head = head;
    this.#concealed = concealed;
  }

  read(line: JsonObject, _name: string, events: AnswerEvent[]): void {
    if (TOY_ERRORS.isError(line)) throw errorOfBody(TOY_ERRORS.read(line), this.#concealed);
    if (typeof line.say === "string") {
      this.said += line.say;
      events.push(this.#event({ content: line.say }, { text: line.say }));
    }
    if (typeof line.heard !== "number" || typeof line.said !== "number") return;
    this.usage = { input: line.heard, output: line.said };
    this.isOver = true;
    this.#finish("stop", events);
  }

  end(_by: "mark" | "body", _events: AnswerEvent[]): void {
    throw new UpstreamError("broken", "The upstream broke off");
  }

  cutShort(events: AnswerEvent[]): void {
    this.#finish("length", events);
  }

  #finish(finish_reason: string, events: AnswerEvent[]): void {
    events.push(this.#event({}, { finish_reason, finished: true }));
    if (this.usage === undefined) return;
    events.push({
      ...this.#event({}, {}),
      chunk: { ...this.#head, object: "chat.completion.chunk", choices: [] },
      empty: true,
      usage: this.usage,
      usageBody: usageBody(this.usage),
    });
  }

  #event(
    delta: JsonObject,
    { text = "", finish_reason = null, finished = false }: {
      readonly text?: string;
      readonly finish_reason?: string | null;
      readonly finished?: boolean;
    },
  ): AnswerEvent {
    const choices = [{ index: 0, delta, finish_reason }];
    return {
      chunk: { ...this.#head, object: "chat.completion.chunk", choices },
      text,
      usage: undefined,
      usageBody: undefined,
      finished,
      empty: false,
    };
  }
}
