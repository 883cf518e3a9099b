/**
 * A message item while it is being streamed.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { type ItemStatus, messageItem, refusalPart, textPart } from "./output_items.ts";

/** One item; a part for its text and one for a refusal, in the order in which they come. */
export class OpenMessage {
  readonly #id: string;
  readonly outputIndex: number;
  readonly #events: EventQueue;
  readonly #content: JsonObject[] = [];
  /** The part that is being written. */
  #kind: "text" | "refusal" | undefined;
  #text = "";
  #logprobs: JsonObject[] = [];

  /** Announces the item. */
  constructor(id: string, outputIndex: number, events: EventQueue) {
    this.#id = id;
    this.outputIndex = outputIndex;
    this.#events = events;
    const item = messageItem(id, { content: [], status: "in_progress" });
    events.add({ type: "response.output_item.added", output_index: outputIndex, item });
  }

  writeText(delta: string, logprobs: JsonObject[]): void {
    if (this.#kind !== "text") this.#openPart("text");
    this.#text += delta;
    if (logprobs.length > 0) this.#logprobs.push(...logprobs);
    // Spelled out rather than composed: this is every token of every stream.
    this.#events.add({
      type: "response.output_text.delta",
      item_id: this.#id,
      output_index: this.outputIndex,
      content_index: this.#content.length,
      delta,
      logprobs,
    }, delta);
  }

  writeRefusal(delta: string): void {
    if (this.#kind !== "refusal") this.#openPart("refusal");
    this.#text += delta;
    this.#addToPart("response.refusal.delta", { delta }, delta);
  }

  /** Ends the item, whose parts are closed, and returns it whole. */
  close(status: ItemStatus): JsonObject {
    const item = messageItem(this.#id, { content: this.#content, status });
    this.#events.add({
      type: "response.output_item.done",
      output_index: this.outputIndex,
      item,
    });
    return item;
  }

  #openPart(kind: "text" | "refusal"): void {
    this.#kind = kind;
    this.#addToPart("response.content_part.added", {
      part: kind === "text" ? textPart("") : refusalPart(""),
    });
  }

  /** Ends the part that is being written, if any is. */
  closePart(): void {
    if (this.#kind === undefined) return;
    const text = this.#text;
    const logprobs = this.#logprobs;
    const isText = this.#kind === "text";
    const part = isText ? textPart(text, logprobs) : refusalPart(text);
    if (isText) this.#addToPart("response.output_text.done", { text, logprobs });
    else this.#addToPart("response.refusal.done", { refusal: text });
    this.#addToPart("response.content_part.done", { part });
    this.#content.push(part);
    this.#kind = undefined;
    this.#text = "";
    this.#logprobs = [];
  }

  #addToPart(type: string, fields: JsonObject, text = ""): void {
    this.#events.add({
      type,
      item_id: this.#id,
      output_index: this.outputIndex,
      content_index: this.#content.length,
      ...fields,
    }, text);
  }
}
