/**
 * Chat completions and chunks, told block by block.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { Work } from "../../domain/work.ts";
import type { Answer, AnswerEvent } from "../base/answer.ts";
import { OPENAI } from "../openai/family.ts";
import type { AnswerSink, FinishReason } from "../turns/answer_sink.ts";
import type { ToolKind } from "../turns/blocks.ts";
import type { AnswerReader } from "../base/turns_format.ts";
import { reasonOf } from "./finish_reasons.ts";

/** What an upstream writes beside calls. */
type Writing = "text" | "refusal" | "reasoning";

/** A call, from its first delta on. */
interface OpenCall {
  readonly kind: ToolKind;
  readonly id: string | undefined;
  /** Its number, once it is open: that takes its name, which may come late. */
  block: number | undefined;
  /** Written before the name came. */
  early: string;
}

/**
 * Reads the first choice, event by event.
 *
 * Thoughts and text end when something else begins; tool calls stay open until the finish
 * reason, because an upstream may write several in turns.
 */
export class ChatAnswerReader implements AnswerReader {
  readonly #sink: AnswerSink;
  #hasBegun = false;
  #blocks = 0;
  #writing: Writing | undefined;
  #writingBlock = 0;
  /** By chat's number of the call. */
  readonly #calls = new Map<unknown, OpenCall>();
  #reason: FinishReason = "done";

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  addEvent({ chunk, usage, usageBody }: AnswerEvent): void {
    this.#begin(chunk);
    const choices = chunk.choices as readonly unknown[];
    for (const choice of choices) {
      if (!isObject(choice) || choice.index !== 0) continue;
      this.#addChoice(choice, choice.delta, false);
    }
    if (usageBody !== undefined) this.#addUsage(usage, usageBody);
  }

  addWhole({ body, usage }: Answer): void {
    this.#begin(body);
    const choice = Array.isArray(body.choices) ? body.choices.find(isObject) : undefined;
    if (choice !== undefined) this.#addChoice(choice, choice.message, true);
    if (usage !== undefined) this.#addUsage(usage, isObject(body.usage) ? body.usage : {});
  }

  end(): void {
    if (!this.#hasBegun) return;
    this.#finish();
    this.#sink.end();
  }

  #begin(body: JsonObject): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const { id, model, created } = body;
      this.#sink.begin({ id, model, created });
    }
    if (typeof body.service_tier === "string") this.#sink.tier(body.service_tier);
  }

  #addUsage(usage: Work | undefined, fields: JsonObject): void {
    this.#sink.usage(usage, usage === undefined ? undefined : { of: OPENAI.name, fields });
  }

  #addChoice(
    { logprobs, finish_reason: reason }: JsonObject,
    said: unknown,
    isWhole: boolean,
  ): void {
    if (isObject(said)) {
      const thoughts = thoughtsOf(said);
      if (thoughts !== "") this.#write("reasoning", thoughts);
      const { content, refusal, tool_calls: calls } = said;
      if (typeof content === "string" && content !== "") this.#write("text", content, logprobs);
      if (typeof refusal === "string" && refusal !== "") this.#write("refusal", refusal);
      if (Array.isArray(calls)) {
        // Whole ones are told apart by their place: some servers number all of them 0.
        calls.forEach((call, place) =>
          isObject(call) && this.#addCall(call, { number: isWhole ? place : call.index, isWhole })
        );
      }
    }
    if (reason === null || reason === undefined) return;
    const read = reasonOf(reason);
    if (read === "failed") {
      throw new UpstreamError("broken", `The upstream gave up its answer: '${reason}'`);
    }
    this.#reason = read;
    this.#finish();
  }

  #write(type: Writing, text: string, logprobs?: unknown): void {
    if (this.#writing !== type) {
      this.#closeWriting(false);
      this.#writing = type;
      this.#writingBlock = this.#blocks++;
      this.#sink.open(this.#writingBlock, { type });
    }
    const isTold = isObject(logprobs) && Array.isArray(logprobs.content);
    this.#sink.write(
      this.#writingBlock,
      text,
      isTold ? (logprobs.content as unknown[]).filter(isObject) : undefined,
    );
  }

  #addCall(
    delta: JsonObject,
    { number, isWhole }: { readonly number: unknown; readonly isWhole: boolean },
  ): void {
    let call = this.#calls.get(number);
    if (call === undefined) {
      this.#closeWriting(false);
      const kind = delta.type === "custom" || isObject(delta.custom) ? "custom" : "function";
      call = { kind, id: nonEmptyString(delta.id), block: undefined, early: "" };
      this.#calls.set(number, call);
    }
    const called = asObject(delta[call.kind]) ?? {};
    const input = nonEmptyString(call.kind === "function" ? called.arguments : called.input) ?? "";
    if (call.block !== undefined) {
      if (input !== "") this.#sink.write(call.block, input);
      return;
    }
    call.early += input;
    const name = nonEmptyString(called.name);
    if (name !== undefined || isWhole) this.#openCall(call, name ?? "");
  }

  #openCall(call: OpenCall, name: string): number {
    const { kind, id, early } = call;
    const block = call.block = this.#blocks++;
    this.#sink.open(block, { type: "call", kind, id, name });
    if (early !== "") this.#sink.write(block, early);
    return block;
  }

  #closeWriting(isCut: boolean): void {
    if (this.#writing === undefined) return;
    this.#writing = undefined;
    this.#sink.close(this.#writingBlock, { isCut });
  }

  /** Ends every block; only the last one can have been cut. */
  #finish(): void {
    const isCut = this.#reason === "length" || this.#reason === "filter";
    const calls = [...this.#calls.values()].map((call) => call.block ?? this.#openCall(call, ""));
    this.#calls.clear();
    const last = this.#blocks - 1;
    for (const block of calls) this.#sink.close(block, { isCut: isCut && block === last });
    this.#closeWriting(isCut && this.#writingBlock === last);
    this.#sink.finish(this.#reason);
  }
}

/**
 * The thoughts in a chat message or delta, under any of the names that vendors
 * have for them; "" for none.
 */
export function thoughtsOf(message: JsonObject): string {
  const { reasoning_content, reasoning } = message;
  if (typeof reasoning_content === "string" && reasoning_content !== "") return reasoning_content;
  if (typeof reasoning === "string" && reasoning !== "") return reasoning;
  return message.reasoning_details === undefined ? "" : textOfDetails(message.reasoning_details);
}

/** OpenRouter's form of them, where it comes alone. */
function textOfDetails(details: unknown): string {
  return asArray(details).map((detail) => {
    const { text, summary } = asObject(detail) ?? {};
    return nonEmptyString(text) ?? nonEmptyString(summary) ?? "";
  }).join("");
}
