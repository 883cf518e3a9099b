/**
 * Answers of Converse and the events of its streams, told block by block.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";
import type { Answer, AnswerEvent } from "../base/answer.ts";
import { checkBlocks } from "../base/most_blocks.ts";
import type { AnswerReader } from "../base/turns_format.ts";
import type { AnswerSink, FinishReason, OpenBlock } from "../turns/answer_sink.ts";
import { CONVERSE, sealHidden, sealSigned } from "./names.ts";

/** Any other word is a proper end. */
const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "calls"],
  ["guardrail_intervened", "filter"],
  ["content_filtered", "filter"],
]);

interface OpenOne {
  readonly block: number;
  readonly type: OpenBlock["type"];
  signature: string;
  hidden: string;
}

export class ConverseAnswerReader implements AnswerReader {
  readonly #sink: AnswerSink;
  #hasBegun = false;
  #blocks = 0;
  #hasCalls = false;
  readonly #open = new Map<unknown, OpenOne>();

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  addEvent({ chunk, usage, usageBody }: AnswerEvent): void {
    this.#begin();
    const { contentBlockStart, contentBlockDelta, contentBlockStop, messageStop } = chunk;
    const start = asObject(contentBlockStart);
    if (start !== undefined) {
      const call = asObject(asObject(start.start)?.toolUse);
      if (call !== undefined) this.#openCall(start.contentBlockIndex, call);
    }
    const delta = asObject(contentBlockDelta);
    if (delta !== undefined) this.#add(delta.contentBlockIndex, asObject(delta.delta) ?? {});
    const stop = asObject(contentBlockStop);
    if (stop !== undefined) this.#close(stop.contentBlockIndex);
    const end = asObject(messageStop);
    if (end !== undefined) this.#finish(end.stopReason);
    if (usageBody !== undefined) this.#addUsage(usage, usageBody);
  }

  addWhole({ body, usage }: Answer): void {
    this.#begin();
    const message = asObject(asObject(body.output)?.message);
    asArray(message?.content).forEach((value, index) => {
      const block = asObject(value) ?? {};
      const call = asObject(block.toolUse);
      if (call !== undefined) {
        this.#openCall(index, call);
        this.#add(index, { toolUse: { input: JSON.stringify(call.input ?? {}) } });
      } else {
        const thoughts = asObject(block.reasoningContent);
        this.#add(index, {
          text: block.text,
          ...(thoughts &&
            { reasoningContent: { ...thoughts, ...asObject(thoughts.reasoningText) } }),
        });
      }
      this.#close(index);
    });
    this.#finish(body.stopReason);
    if (usage !== undefined) this.#addUsage(usage, asObject(body.usage) ?? {});
  }

  end(): void {
    if (this.#hasBegun) this.#sink.end();
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#sink.begin({ id: undefined, model: undefined, created: undefined });
  }

  #addUsage(usage: Work | undefined, fields: JsonObject): void {
    this.#sink.usage(usage, usage === undefined ? undefined : { of: CONVERSE, fields });
  }

  #openCall(index: unknown, { toolUseId, name }: JsonObject): void {
    this.#hasCalls = true;
    this.#openBlock(index, {
      type: "call",
      kind: "function",
      id: nonEmptyString(toolUseId),
      name: String(name),
    });
  }

  #openBlock(index: unknown, content: OpenBlock): OpenOne {
    this.#close(index);
    const one = { block: this.#blocks++, type: content.type, signature: "", hidden: "" };
    this.#open.set(index, one);
    checkBlocks(this.#blocks);
    this.#sink.open(one.block, content);
    return one;
  }

  /** Text and thoughts are begun by what is written of them. */
  #add(index: unknown, { text, toolUse, reasoningContent }: JsonObject): void {
    const input = asObject(toolUse)?.input;
    const open = this.#open.get(index);
    if (typeof input === "string" && open?.type === "call" && input !== "") {
      this.#sink.write(open.block, input);
    }
    if (typeof text === "string" && text !== "") this.#write(index, "text", text);
    const thoughts = asObject(reasoningContent);
    if (thoughts === undefined) return;
    const one = open?.type === "reasoning" ? open : this.#openBlock(index, { type: "reasoning" });
    one.signature += nonEmptyString(thoughts.signature) ?? "";
    one.hidden += nonEmptyString(thoughts.redactedContent) ?? "";
    const thought = nonEmptyString(thoughts.text);
    if (thought !== undefined) this.#sink.write(one.block, thought);
  }

  #write(index: unknown, type: "text", text: string): void {
    const open = this.#open.get(index);
    const one = open?.type === type ? open : this.#openBlock(index, { type });
    this.#sink.write(one.block, text);
  }

  #close(index: unknown): void {
    const one = this.#open.get(index);
    if (one === undefined) return;
    this.#open.delete(index);
    const value = one.hidden !== ""
      ? sealHidden(one.hidden)
      : one.signature !== ""
      ? sealSigned(one.signature)
      : undefined;
    const seal = value === undefined ? undefined : { of: CONVERSE, value };
    this.#sink.close(one.block, { isCut: false, ...(seal !== undefined && { seal }) });
  }

  #finish(reason: unknown): void {
    for (const index of [...this.#open.keys()]) this.#close(index);
    const told = REASONS.get(reason) ?? "done";
    this.#sink.finish(told === "done" && this.#hasCalls ? "calls" : told);
  }
}
