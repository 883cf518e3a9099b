/**
 * An answer as a chat completion, and as the chunks that write it.
 *
 * @module
 */

import { type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";
import { OPENAI } from "../openai/family.ts";
import { usageBody } from "../openai/normalise_usage.ts";
import type {
  AnswerHead,
  BlockEnd,
  FinishReason,
  MadeImage,
  OpenBlock,
} from "../turns/answer_sink.ts";
import { type Extra, ownExtra, type Seal, type ToolKind } from "../turns/blocks.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { carriedSignature } from "../openai/call_signatures.ts";
import { hasOnlyFunctions } from "./read_request.ts";
import { thoughtDetail } from "./thought_details.ts";
import { FINISH_WORDS } from "./finish_reasons.ts";
import type { AnswerParts, AnswerWriter } from "../base/turns_format.ts";

/** Where each kind of block stands in a message or delta. */
const FIELDS = { text: "content", refusal: "refusal", reasoning: "reasoning_content" } as const;

/** A call while it is written. */
interface OpenCall {
  readonly kind: ToolKind;
  readonly index: number;
  readonly whole: { readonly name: string; input: string };
  readonly id: string;
  /** The signature of the thoughts that led to it, if its model wants that back. */
  readonly signature: string | undefined;
}

type Open =
  | { readonly field: typeof FIELDS[keyof typeof FIELDS]; text: string }
  | { readonly call: OpenCall };

export class ChatAnswerWriter implements AnswerWriter {
  readonly #parts: AnswerParts;
  readonly #events: EventQueue | undefined;
  /** Whether the caller knows calls by their older name alone, one at a time. */
  readonly #hasOnlyFunctions: boolean;
  whole: JsonObject = {};
  #head: JsonObject = {};
  readonly #blocks = new Map<number, Open>();
  readonly #calls: OpenCall[] = [];
  readonly #message: JsonObject = { role: "assistant", content: null, refusal: null };
  readonly #logprobs: JsonObject[] = [];
  readonly #details: JsonObject[] = [];
  #reason: FinishReason = "done";
  #usage: JsonObject | undefined;

  constructor(request: Readonly<JsonObject>, parts: AnswerParts, events?: EventQueue) {
    this.#parts = parts;
    this.#events = events;
    this.#hasOnlyFunctions = hasOnlyFunctions(request);
  }

  begin({ id, model, created }: AnswerHead): void {
    this.#head = {
      id: nonEmptyString(id) ?? this.#parts.ids.completion(),
      created: created ?? Math.floor(this.#parts.clock.now() / 1000),
      model,
    };
    this.#events?.add(this.#chunk({ role: "assistant", content: "" }));
  }

  open(block: number, content: OpenBlock): void {
    if (content.type !== "call") {
      this.#blocks.set(block, { field: FIELDS[content.type], text: "" });
      return;
    }
    const { kind, name, seal } = content;
    const id = content.id ?? this.#parts.ids.toolCall();
    const whole = { name, input: "" };
    const call = { kind, index: this.#calls.length, id, whole, signature: seal?.value };
    this.#calls.push(call);
    this.#blocks.set(block, { call });
    this.#addCall({ index: call.index, ...callBody(call) }, name);
  }

  write(block: number, text: string, logprobs?: readonly JsonObject[]): void {
    const open = this.#blocks.get(block)!;
    if ("call" in open) return this.#writeInput(open.call, text);
    const { field } = open;
    if (field === FIELDS.reasoning) open.text += text;
    this.#message[field] = `${this.#message[field] ?? ""}${text}`;
    if (logprobs !== undefined) this.#logprobs.push(...logprobs);
    const told = logprobs === undefined ? null : { content: logprobs };
    this.#events?.add(this.#chunk({ [field]: text }, told), text, field === FIELDS.reasoning);
  }

  close(block: number, { isCut, seal }: BlockEnd): void {
    const open = this.#blocks.get(block)!;
    this.#blocks.delete(block);
    if (!("call" in open)) {
      if (seal !== undefined) this.#addSeal(open.text, seal);
      return;
    }
    const { kind, whole } = open.call;
    // No arguments at all are no JSON.
    if (kind === "function" && whole.input === "" && !isCut) this.#writeInput(open.call, "{}");
  }

  /** As OpenRouter tells them, which clients of image models read. */
  image({ mediaType, data }: MadeImage): void {
    const images = this.#message.images as JsonObject[] | undefined ?? [];
    const url = `data:${mediaType};base64,${data}`;
    const image = { type: "image_url", image_url: { url }, index: images.length };
    this.#message.images = [...images, image];
    this.#events?.add(this.#chunk({ images: [image] }));
  }

  finish(reason: FinishReason): void {
    this.#reason = reason;
  }

  usage(work: Work | undefined, reported?: Extra): void {
    this.#usage = work && usageBody(work, ownExtra(OPENAI.name, reported));
    this.#events?.report({ usage: work, usageBody: this.#usage });
  }

  tier(name: string): void {
    this.#head.service_tier = name;
  }

  end(): void {
    // Some upstreams call their end the usual one although they wait for tools.
    const reason = this.#reason === "done" && this.#calls.length > 0 ? "calls" : this.#reason;
    const finish_reason = reason === "calls" && this.#hasOnlyFunctions
      ? "function_call"
      : FINISH_WORDS[reason];
    this.#events?.addLast(this.#chunk({}, null, finish_reason));
    const calls = this.#calls.map(callBody);
    if (this.#hasOnlyFunctions && calls.length > 0) {
      this.#message.function_call = calls[0]!.function;
    } else if (calls.length > 0) this.#message.tool_calls = calls;
    this.whole = {
      ...this.#head,
      object: "chat.completion",
      choices: [{
        index: 0,
        message: this.#message,
        finish_reason,
        logprobs: this.#logprobs.length > 0 ? { content: this.#logprobs } : null,
      }],
      ...(this.#usage !== undefined && { usage: this.#usage }),
    };
  }

  /** What the caller gives back, for the upstream to go on thinking from. */
  #addSeal(text: string, seal: Seal): void {
    const index = this.#details.length;
    const signature = this.#parts.seal(seal);
    const detail = thoughtDetail({ text, signature, of: seal.of, index });
    this.#details.push(detail);
    this.#message.reasoning_details = this.#details;
    this.#events?.add(this.#chunk({ reasoning_details: [detail] }));
  }

  #writeInput(call: OpenCall, text: string): void {
    call.whole.input += text;
    const delta = call.kind === "function"
      ? { function: { arguments: text } }
      : { custom: { input: text } };
    this.#addCall({ index: call.index, ...delta }, text);
  }

  #addCall(call: JsonObject, text: string): void {
    if (!this.#hasOnlyFunctions) this.#events?.add(this.#chunk({ tool_calls: [call] }), text);
    else if (call.index === 0) {
      this.#events?.add(this.#chunk({ function_call: call.function }), text);
    }
  }

  #chunk(
    delta: JsonObject,
    logprobs: JsonObject | null = null,
    finish_reason: string | null = null,
  ): JsonObject {
    return {
      ...this.#head,
      object: "chat.completion.chunk",
      choices: [{ index: 0, delta, logprobs, finish_reason }],
    };
  }
}

function callBody({ id, kind, whole: { name, input }, signature }: OpenCall): JsonObject {
  const call = kind === "function"
    ? { id, type: kind, function: { name, arguments: input } }
    : { id, type: kind, custom: { name, input } };
  return signature === undefined ? call : { ...call, ...carriedSignature(signature) };
}
