/**
 * A summary that a model has written as the one item of an answer.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";
import type { CompletionIds } from "../base/completion_ids.ts";
import type { AnswerWriter } from "../base/turns_format.ts";
import type { AnswerHead, AnswerSink, FinishReason, OpenBlock } from "../turns/answer_sink.ts";
import type { ResponseAnswerWriter } from "./answer_writer.ts";
import { compactionItem } from "./compaction.ts";

/** Wraps a summary for the project that it is made for. */
export type SealSummary = (summary: string) => string;

/** Takes the text of an answer, and nothing else of it. */
export class SummaryWriter implements AnswerWriter {
  readonly #writer: ResponseAnswerWriter;
  readonly #id: string;
  readonly #seal: SealSummary;
  readonly #texts = new Set<number>();
  #summary = "";
  /** UTF-16 units of it that an event has told of. */
  #told = 0;
  #reason: FinishReason = "done";

  constructor(
    writer: ResponseAnswerWriter,
    { ids, seal }: { readonly ids: CompletionIds; readonly seal: SealSummary },
  ) {
    this.#writer = writer;
    this.#seal = seal;
    this.#id = ids.item("cmp");
  }

  get whole(): JsonObject {
    return this.#writer.whole;
  }

  begin(head: AnswerHead): void {
    this.#writer.begin(head);
  }

  open(block: number, { type }: OpenBlock): void {
    if (type === "text") this.#texts.add(block);
  }

  write(block: number, text: string): void {
    if (!this.#texts.has(block)) return;
    this.#summary += text;
    // That something comes is told once: so far it is of no use.
    if (this.#told > 0) return;
    this.#told = text.length;
    this.#writer.beginItem(compactionItem(this.#seal(""), this.#id), text);
  }

  close(): void {}

  finish(reason: FinishReason): void {
    this.#reason = reason;
    this.#writer.finish(reason);
  }

  usage(...told: Parameters<AnswerSink["usage"]>): void {
    this.#writer.usage(...told);
  }

  tier(name: string): void {
    this.#writer.tier(name);
  }

  /** @throws {UpstreamError} `broken`, where nobody could go on from what came. */
  end(): void {
    const item = summaryItem(this.#summary, {
      id: this.#id,
      reason: this.#reason,
      seal: this.#seal,
    });
    this.#writer.endItem(item, this.#summary.slice(this.#told));
    this.#writer.end();
  }
}

/**
 * The item of a summary.
 *
 * @throws {UpstreamError} `broken`, where there is none, or not all of it.
 */
export function summaryItem(
  text: string,
  { id, reason, seal }: {
    readonly id: string;
    readonly reason: FinishReason;
    readonly seal: SealSummary;
  },
): JsonObject {
  if (text.trim() === "") {
    throw new UpstreamError("broken", "The upstream's model wrote no summary");
  }
  // What is left to do stands last.
  if (reason === "length" || reason === "filter") {
    throw new UpstreamError("broken", "The summary of the upstream's model is cut");
  }
  return compactionItem(seal(text), id);
}
