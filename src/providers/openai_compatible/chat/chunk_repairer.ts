/**
 * Turns the parsed data of one upstream stream into events: one id throughout,
 * a role first, finish reasons that are there and come once, usage apart.
 *
 * @module
 */

import { searchesTold, withSearches } from "../../../dialects/openai_chat/searches.ts";
import { tierOf } from "../../../dialects/openai/settings.ts";
import type { Terms } from "../../../domain/terms.ts";
import type { AnswerEvent } from "../../../dialects/base/answer.ts";
import { type AnswerContext, isUnixTime, requireFinish } from "./convert_answer.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";
import { repairMessage, textOf } from "./repair_message.ts";
import { ToolCallNumbers } from "./tool_call_numbers.ts";
import { thoughtsOf } from "../../../dialects/openai_chat/answer_reader.ts";
import { findUsage, normaliseUsage } from "../../../dialects/openai/normalise_usage.ts";

/** More choices than any upstream gives; a bound on what a hostile index makes us keep. */
const MAX_CHOICES = 1_024;

interface ChoiceState {
  finished: boolean;
  calls: ToolCallNumbers | undefined;
}

/** The state of one stream. */
export class ChunkRepairer {
  readonly #context: AnswerContext;
  /** By choice index. */
  readonly #choices: (ChoiceState | undefined)[] = [];
  #started = 0;
  #finished = 0;
  #usageRank = 0;
  #searches = 0;
  #id: string | undefined;
  #model: string | undefined;
  #created: number | undefined;
  #terms: Terms | undefined;
  /** Chunks without id and choices (Azure sends one first), until the id is known. */
  #held: AnswerEvent[] = [];

  constructor(context: AnswerContext) {
    this.#context = context;
  }

  /** Whether an end of the body here is a proper one: everything begun is finished. */
  get isComplete(): boolean {
    return this.#started === 0 ? this.#usageRank > 0 : this.#finished === this.#started;
  }

  /** Whether all that was begun is finished and counted: nothing but `[DONE]` is to come. */
  get isCounted(): boolean {
    return this.#usageRank > 0 && this.#started > 0 && this.#finished === this.#started;
  }

  /** Whether the stream has said anything at all. */
  get hasBegun(): boolean {
    return this.#started > 0 || this.#usageRank > 0 || this.#id !== undefined ||
      this.#held.length > 0;
  }

  /** Repairs a chunk in place and adds its event (and any that were held back) to `events`. */
  add(chunk: JsonObject, events: AnswerEvent[]): void {
    let choices = chunk.choices;
    if (!Array.isArray(choices)) chunk.choices = choices = [];
    const list = choices as unknown[];
    const usage = this.#takeUsage(chunk, list);
    if ("error" in chunk) delete chunk.error;
    if (typeof chunk.service_tier === "string") this.#terms = tierOf(chunk);

    let text = "";
    let thoughts = 0;
    let finished = false;
    for (let at = 0; at < list.length; at++) {
      const choice = list[at];
      if (!isObject(choice)) continue;
      text += this.#repairChoice(choice, at);
      thoughts += thoughtsOf(choice.delta as JsonObject).length;
      if (choice.finish_reason !== null) finished = true;
    }
    const event: AnswerEvent = {
      chunk,
      text,
      thoughts,
      usage: usage?.usage,
      terms: this.#terms,
      usageBody: usage?.body,
      finished,
      empty: list.length === 0,
    };
    if (this.#id === undefined) {
      this.#id = nonEmptyString(chunk.id);
      if (this.#id === undefined && event.empty && event.usage === undefined) {
        this.#held.push(event);
        return;
      }
      this.#id ??= this.#context.ids.completion();
    }
    if (this.#held.length > 0) this.#flushHeld(chunk, events);
    this.#stamp(chunk);
    events.push(event);
  }

  /**
   * What is still owed at the end of the stream: chunks held back, and a finish
   * reason for choices that a `[DONE]` ended without one.
   *
   * @param why The reason for all of them; by default what they say of themselves.
   */
  finish(events: AnswerEvent[], why?: "length"): void {
    if (this.#held.length > 0) {
      this.#id ??= this.#context.ids.completion();
      this.#flushHeld({}, events);
    }
    for (let index = 0; index < this.#choices.length; index++) {
      const state = this.#choices[index];
      if (state === undefined || state.finished) continue;
      state.finished = true;
      this.#finished++;
      const reason = why ?? (state.calls?.any === true ? "tool_calls" : "stop");
      const chunk: JsonObject = { choices: [{ index, delta: {}, finish_reason: reason }] };
      this.#stamp(chunk);
      events.push({
        chunk,
        text: "",
        thoughts: 0,
        usage: undefined,
        usageBody: undefined,
        finished: true,
        empty: false,
      });
    }
  }

  #takeUsage(chunk: JsonObject, choices: readonly unknown[]) {
    const found = findUsage(chunk);
    if ("usage" in chunk) delete chunk.usage;
    for (const choice of choices) {
      if (isObject(choice) && "usage" in choice) delete choice.usage;
    }
    if (found === undefined || found.rank < this.#usageRank) return undefined;
    this.#usageRank = found.rank;
    // Some tell them before the last of their counts.
    this.#searches = Math.max(this.#searches, searchesTold(found.raw));
    return withSearches(normaliseUsage(found.raw, this.#context.bounds), this.#searches);
  }

  #repairChoice(choice: JsonObject, position: number): string {
    if (!isChoiceIndex(choice.index)) choice.index = position;
    const index = choice.index as number;
    let state = this.#choices[index];
    if (!isObject(choice.delta)) choice.delta = {};
    const delta = choice.delta as JsonObject;
    if (state === undefined) {
      state = { finished: false, calls: undefined };
      this.#choices[index] = state;
      this.#started++;
      delta.role = "assistant";
    } else if (delta.role !== undefined && delta.role !== "assistant") {
      // Another role, or none, in a later delta: the first has said it.
      delete delta.role;
    }
    repairMessage(delta);
    if (delta.tool_calls !== undefined) {
      state.calls ??= new ToolCallNumbers(this.#context.ids);
      state.calls.repair(delta.tool_calls as unknown[]);
    }
    const word = nonEmptyString(choice.finish_reason);
    if (word === undefined || state.finished) {
      choice.finish_reason = null;
    } else {
      choice.finish_reason = requireFinish(word, state.calls?.any === true);
      state.finished = true;
      this.#finished++;
    }
    return textOf(delta);
  }

  #flushHeld(next: JsonObject, events: AnswerEvent[]): void {
    // What the chunk after them says about the answer is true of them too.
    this.#model = nonEmptyString(next.model);
    if (isUnixTime(next.created)) this.#created = next.created as number;
    for (const event of this.#held) {
      this.#stamp(event.chunk);
      events.push(event);
    }
    this.#held = [];
  }

  #stamp(chunk: JsonObject): void {
    chunk.id = this.#id!;
    chunk.object = "chat.completion.chunk";
    if (isUnixTime(chunk.created)) this.#created ??= chunk.created as number;
    else chunk.created = this.#created ??= this.#context.nowSeconds;
    const model = nonEmptyString(chunk.model);
    if (model !== undefined) this.#model ??= model;
    else chunk.model = this.#model ??= this.#context.upstreamModel;
  }
}

function isChoiceIndex(value: unknown): boolean {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < MAX_CHOICES;
}
