/**
 * An answer as a Response object, and as the events that write it.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { Work } from "../../domain/work.ts";
import { OPENAI } from "../openai/family.ts";
import type { AnswerHead, BlockEnd, FinishReason, OpenBlock } from "../turns/answer_sink.ts";
import { type Extra, ownExtra, type Seal } from "../turns/blocks.ts";
import { wrapThoughts } from "../base/wrapped_seal.ts";
import type { AnswerParts, AnswerWriter } from "../base/turns_format.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { OpenCall, OpenReasoning } from "./open_items.ts";
import { OpenMessage } from "./open_message.ts";
import { responseHead, responseUsageBody, showServiceTier } from "./response_head.ts";

/** Reasons for which an answer is cut. */
const CUT: { readonly [reason in FinishReason]?: string } = {
  length: "max_output_tokens",
  filter: "content_filter",
};

/** What is asked for by `include`. */
const SEALED = "reasoning.encrypted_content";

/** A part of a message: they stand in one item as long as nothing else comes between. */
type Part = { readonly kind: "text" | "refusal"; readonly message: OpenMessage };
type Written =
  | Part
  | { readonly kind: "call"; readonly item: OpenCall }
  | { readonly kind: "reasoning"; readonly item: OpenReasoning };

/** The last event comes with the end: until then the usage may change. */
export class ResponseAnswerWriter implements AnswerWriter {
  readonly #request: Readonly<JsonObject>;
  readonly #parts: AnswerParts;
  readonly #events: EventQueue | undefined;
  whole: JsonObject = {};
  /** Made when the answer begins; the settings that are said back. */
  #head: JsonObject = {};
  /** Whole items, by output index. */
  readonly #output: JsonObject[] = [];
  #items = 0;
  readonly #blocks = new Map<number, Written>();
  /** The message that the next text belongs to. */
  #message: OpenMessage | undefined;
  /** Whether its last part was cut. */
  #isCut = false;
  #reason: FinishReason = "done";
  #usage: JsonObject | undefined;
  #tier: string | undefined;

  /** @param request The caller's body. */
  constructor(request: Readonly<JsonObject>, parts: AnswerParts, events?: EventQueue) {
    this.#request = request;
    this.#parts = parts;
    this.#events = events;
  }

  begin(head: AnswerHead): void {
    this.#head = responseHead(this.#request, head);
    // Copies: who gets an event may change it.
    this.#events?.add({ type: "response.created", response: { ...this.#head } });
    this.#events?.add({ type: "response.in_progress", response: { ...this.#head } });
  }

  open(block: number, content: OpenBlock): void {
    if (content.type === "text" || content.type === "refusal") {
      const message = this.#message ??= this.#openMessage();
      this.#blocks.set(block, { kind: content.type, message });
      return;
    }
    this.#closeMessage();
    const place = this.#items++;
    const { ids } = this.#parts;
    const events = this.#events;
    this.#blocks.set(
      block,
      content.type === "call"
        ? { kind: "call", item: new OpenCall(content, place, { ids, events }) }
        : { kind: "reasoning", item: new OpenReasoning(ids.item("rs"), place, events) },
    );
  }

  write(block: number, text: string, logprobs?: readonly JsonObject[]): void {
    const written = this.#blocks.get(block)!;
    if ("item" in written) written.item.write(text);
    else if (written.kind === "text") written.message.writeText(text, logprobs);
    else written.message.writeRefusal(text);
  }

  close(block: number, { isCut, seal }: BlockEnd): void {
    const written = this.#blocks.get(block)!;
    this.#blocks.delete(block);
    switch (written.kind) {
      case "call": {
        const { item } = written;
        this.#output[item.outputIndex] = item.close(isCut ? "incomplete" : "completed");
        return;
      }
      case "reasoning": {
        const { item } = written;
        this.#output[item.outputIndex] = item.close(this.#wrapped(item.text, seal));
        return;
      }
      default:
        written.message.closePart();
        this.#isCut = isCut;
    }
  }

  /** Thoughts as a caller gives them back: those that are sealed always, others if it asks for that. */
  #wrapped(text: string, seal: Seal | undefined): string | undefined {
    if (seal !== undefined) return wrapThoughts({ text, seal: this.#parts.seal(seal) });
    const { include } = this.#request;
    const isAsked = Array.isArray(include) && include.includes(SEALED);
    return isAsked && text !== "" ? wrapThoughts({ text }) : undefined;
  }

  /**
   * Announces an item that is not made of blocks.
   *
   * @param text What the model has written for it.
   */
  beginItem(item: JsonObject, text: string): void {
    const output_index = this.#output.length;
    this.#events?.add({ type: "response.output_item.added", output_index, item }, text);
  }

  /** Ends it, whole; `text` is what has not been told with it yet. */
  endItem(item: JsonObject, text: string): void {
    const output_index = this.#output.push(item) - 1;
    this.#events?.add({ type: "response.output_item.done", output_index, item }, text);
  }

  finish(reason: FinishReason): void {
    this.#reason = reason;
    this.#closeMessage();
  }

  usage(usage: Work | undefined, reported?: Extra): void {
    this.#usage = usage === undefined
      ? undefined
      : responseUsageBody(usage, ownExtra(OPENAI.name, reported));
    this.#events?.report({ usage, usageBody: this.#usage });
  }

  tier(name: string): void {
    this.#tier = name;
  }

  end(): void {
    const reason = CUT[this.#reason];
    const status = reason === undefined ? "completed" : "incomplete";
    const response: JsonObject = {
      ...this.#head,
      output: this.#output,
      status,
      incomplete_details: reason === undefined ? null : { reason },
      // As OpenAI has it: only what is complete has a time of completion.
      completed_at: reason === undefined ? Math.floor(this.#parts.clock.now() / 1000) : null,
    };
    showServiceTier(response, this.#tier);
    if (this.#usage !== undefined) response.usage = this.#usage;
    this.whole = response;
    this.#events?.addLast({ type: `response.${status}`, response });
  }

  #openMessage(): OpenMessage {
    return new OpenMessage(this.#parts.ids.item("msg"), this.#items++, this.#events);
  }

  #closeMessage(): void {
    const message = this.#message;
    if (message === undefined) return;
    this.#message = undefined;
    this.#output[message.outputIndex] = message.close(this.#isCut ? "incomplete" : "completed");
  }
}
