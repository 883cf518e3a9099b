/**
 * A reasoning item while it is being written.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { OpenItem } from "./open_item.ts";

/**
 * One item with one summary part: the model's thoughts stand there, because that is what clients
 * show: neither the AI SDK nor LangChain reads `reasoning_text`. It has no status: OpenAI's own
 * endpoint refuses one when the item is sent back.
 */
export class OpenReasoning extends OpenItem {
  #text = "";

  constructor(id: string, outputIndex: number, events: EventQueue | undefined) {
    super(id, outputIndex, events);
    this.begin({ id, type: "reasoning", summary: [] });
    this.#add("part.added", { part: summaryPart("") });
  }

  write(delta: string): void {
    this.#text += delta;
    this.#add("text.delta", { delta }, delta);
  }

  /** Ends the item and returns it whole. */
  close(): JsonObject {
    const text = this.#text;
    const part = summaryPart(text);
    this.#add("text.done", { text });
    this.#add("part.done", { part });
    return this.end({ id: this.id, type: "reasoning", summary: [part] });
  }

  #add(what: string, fields: JsonObject, text = ""): void {
    this.events?.add(
      {
        type: `response.reasoning_summary_${what}`,
        item_id: this.id,
        output_index: this.outputIndex,
        summary_index: 0,
        ...fields,
      },
      text,
      true,
    );
  }
}

function summaryPart(text: string): JsonObject {
  return { type: "summary_text", text };
}
