/**
 * Messages and their events, told block by block.
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
import type { Work } from "../../domain/work.ts";
import type { Answer, AnswerEvent } from "../base/answer.ts";
import type { AnswerReader } from "../base/turns_format.ts";
import type { AnswerSink, FinishReason, OpenBlock } from "../turns/answer_sink.ts";
import { ANTHROPIC } from "./family.ts";
import { sealOfBlock } from "./own_seal.ts";
import { unwrapId } from "./tool_names.ts";

/** Any other word is a proper end. */
const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["max_tokens", "length"],
  ["model_context_window_exceeded", "length"],
  ["tool_use", "calls"],
  ["refusal", "filter"],
]);

interface OpenOne {
  readonly block: number;
  readonly isRedacted: boolean;
  seal: string;
  /** A call's arguments where its beginning has them whole: nothing more is told of those. */
  input: string;
}

export class MessageAnswerReader implements AnswerReader {
  readonly #sink: AnswerSink;
  #blocks = 0;
  #hasBegun = false;
  /** By the upstream's number; of blocks that nobody else has there is none. */
  readonly #open = new Map<unknown, OpenOne>();

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  addEvent({ chunk, usage, usageBody }: AnswerEvent): void {
    switch (chunk.type) {
      case "message_start":
        this.#begin(asObject(chunk.message) ?? {});
        break;
      case "content_block_start":
        this.#openBlock(chunk.index, asObject(chunk.content_block) ?? {});
        break;
      case "content_block_delta":
        this.#write(chunk.index, asObject(chunk.delta) ?? {});
        break;
      case "content_block_stop":
        this.#close(chunk.index);
        break;
      case "message_delta":
        this.#finish(asObject(chunk.delta)?.stop_reason);
        break;
    }
    if (usageBody !== undefined) this.#addUsage(usage, usageBody);
  }

  addWhole({ body, usage }: Answer): void {
    this.#begin(body);
    asArray(body.content).forEach((block, index) => {
      if (!isObject(block)) return;
      this.#openBlock(index, block);
      this.#close(index);
    });
    this.#finish(body.stop_reason);
    if (usage !== undefined) this.#addUsage(usage, asObject(body.usage) ?? {});
  }

  end(): void {
    if (this.#hasBegun) this.#sink.end();
  }

  #begin({ id, model }: JsonObject): void {
    this.#hasBegun = true;
    this.#sink.begin({ id, model, created: undefined });
  }

  #addUsage(usage: Work | undefined, fields: JsonObject): void {
    this.#sink.usage(usage, usage === undefined ? undefined : { of: ANTHROPIC.name, fields });
    const tier = nonEmptyString(fields.service_tier);
    if (tier !== undefined) this.#sink.tier(tier === "standard" ? "default" : tier);
  }

  #openBlock(index: unknown, block: JsonObject): void {
    const content = contentOf(block);
    if (content === undefined) return;
    const isRedacted = block.type === "redacted_thinking";
    const seal = isRedacted ? nonEmptyString(block.data) ?? "" : "";
    const one = { block: this.#blocks++, isRedacted, seal, input: inputOf(block) };
    this.#open.set(index, one);
    this.#sink.open(one.block, content);
    this.#write(index, block);
  }

  /** What of a delta, or of a block as it begins, is new. */
  #write(index: unknown, { text, thinking, partial_json, signature }: JsonObject): void {
    const one = this.#open.get(index);
    if (one === undefined) return;
    if (typeof signature === "string") one.seal += signature;
    if (typeof partial_json === "string" && partial_json !== "") one.input = "";
    for (const written of [text, thinking, partial_json]) {
      if (typeof written === "string" && written !== "") this.#sink.write(one.block, written);
    }
  }

  #close(index: unknown): void {
    const one = this.#open.get(index);
    if (one === undefined) return;
    this.#open.delete(index);
    if (one.input !== "") this.#sink.write(one.block, one.input);
    const seal = sealOfBlock(
      one.isRedacted
        ? { type: "redacted_thinking", data: one.seal }
        : { type: "thinking", signature: one.seal },
    );
    this.#sink.close(one.block, { isCut: false, ...(seal !== undefined && { seal }) });
  }

  #finish(reason: unknown): void {
    if (reason === null || reason === undefined) return;
    for (const index of [...this.#open.keys()]) this.#close(index);
    this.#sink.finish(REASONS.get(reason) ?? "done");
  }
}

/** Streams begin with an empty object, and then write it. */
function inputOf({ type, input }: JsonObject): string {
  const isThere = type === "tool_use" && Object.keys(asObject(input) ?? {}).length > 0;
  return isThere ? JSON.stringify(input) : "";
}

/** What of a vendor's own tools goes on is told of nowhere else. */
function contentOf({ type, id, name }: JsonObject): OpenBlock | undefined {
  switch (type) {
    case "text":
      return { type };
    case "thinking":
    case "redacted_thinking":
      return { type: "reasoning" };
    case "tool_use": {
      const known = nonEmptyString(id);
      return {
        type: "call",
        kind: "function",
        id: known === undefined ? undefined : unwrapId(known),
        name: String(name),
      };
    }
    default:
      return undefined;
  }
}
