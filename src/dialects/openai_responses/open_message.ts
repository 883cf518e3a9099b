/**
 * A message item while it is being written.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { type ItemStatus, OpenItem } from "./open_items.ts";

/** One item; a part for its text and one for a refusal, in the order in which they come. */
export class OpenMessage extends OpenItem {
  readonly #content: JsonObject[] = [];
  /** The part that is being written. */
  #kind: "text" | "refusal" | undefined;
  #text = "";
  #logprobs: JsonObject[] = [];

  constructor(id: string, outputIndex: number, events: EventQueue | undefined) {
    super(id, outputIndex, events);
    this.begin(this.#item([], "in_progress"));
  }

  /** @param given Log probabilities, as chat has them. */
  writeText(delta: string, given: readonly JsonObject[] = []): void {
    const logprobs = given.map(logprobOf);
    if (this.#kind !== "text") this.#openPart("text");
    this.#text += delta;
    if (logprobs.length > 0) this.#logprobs.push(...logprobs);
    // Spelled out rather than composed: this is every token of every stream.
    this.events?.add({
      type: "response.output_text.delta",
      item_id: this.id,
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
    return this.end(this.#item(this.#content, status));
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
    this.events?.add({
      type,
      item_id: this.id,
      output_index: this.outputIndex,
      content_index: this.#content.length,
      ...fields,
    }, text);
  }

  #item(content: readonly JsonObject[], status: ItemStatus): JsonObject {
    return { id: this.id, type: "message", status, role: "assistant", content };
  }
}

function textPart(text: string, logprobs: readonly JsonObject[] = []): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs };
}

function refusalPart(refusal: string): JsonObject {
  return { type: "refusal", refusal };
}

function logprobOf({ top_logprobs: top, ...entry }: JsonObject): JsonObject {
  return {
    ...plainLogprob(entry),
    top_logprobs: Array.isArray(top) ? top.filter(isObject).map(plainLogprob) : [],
  };
}

function plainLogprob({ token, logprob, bytes }: JsonObject): JsonObject {
  return { token, logprob, bytes: Array.isArray(bytes) ? bytes : [] };
}
