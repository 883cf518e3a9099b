/**
 * The events that a stream's writer has made and that nobody has taken yet.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Terms } from "../../domain/terms.ts";
import type { AnswerEvent } from "./answer.ts";

type Usage = Pick<AnswerEvent, "usage" | "usageBody">;

/** What has been written since the last {@linkcode EventQueue.take}. */
export class EventQueue {
  #events: Writable<AnswerEvent>[] = [];
  /** Reported while there was no event to carry it. */
  #usage: Usage | undefined;

  /** Whether there is anything to take. */
  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  /**
   * Adds an event.
   *
   * @param text What the model wrote in it.
   * @param isThought Whether that is of its thoughts.
   */
  add(chunk: JsonObject, text = "", isThought = false): void {
    this.#events.push({
      chunk,
      text,
      thoughts: isThought ? text.length : 0,
      usage: undefined,
      terms: undefined,
      usageBody: undefined,
      finished: false,
      empty: false,
    });
  }

  /** Adds the last event of a stream. */
  addLast(chunk: JsonObject): void {
    this.add(chunk);
    this.#events.at(-1)!.finished = true;
  }

  /** Reports usage with the newest event, or with the next one. */
  report(usage: Usage): void {
    this.#usage = usage;
  }

  /**
   * The events, oldest first.
   *
   * @param terms What the upstream has said of itself so far.
   * @param seal On thoughts, the newest since the last time.
   */
  take(terms?: Terms, seal?: string): readonly AnswerEvent[] {
    const events = this.#events;
    const last = events.at(-1);
    if (last !== undefined) {
      last.terms = terms;
      if (seal !== undefined) last.seal = seal;
      if (this.#usage !== undefined) Object.assign(last, this.#usage);
      this.#usage = undefined;
    }
    this.#events = [];
    return events;
  }
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };
