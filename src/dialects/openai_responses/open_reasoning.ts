/**
 * A reasoning item while it is being streamed.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { reasoningItem, summaryPart } from "./output_items.ts";

/** One item with one summary part. */
export class OpenReasoning {
  readonly #id: string;
  readonly outputIndex: number;
  readonly #events: EventQueue;
  #text = "";

  /** Announces the item. */
  constructor(id: string, outputIndex: number, events: EventQueue) {
    this.#id = id;
    this.outputIndex = outputIndex;
    this.#events = events;
    events.add({
      type: "response.output_item.added",
      output_index: outputIndex,
      item: reasoningItem(id, []),
    });
    this.#add("response.reasoning_summary_part.added", { part: summaryPart("") });
  }

  write(delta: string): void {
    this.#text += delta;
    this.#add("response.reasoning_summary_text.delta", { delta }, delta);
  }

  /** Ends the item and returns it whole. */
  close(): JsonObject {
    const text = this.#text;
    const part = summaryPart(text);
    const item = reasoningItem(this.#id, [part]);
    this.#add("response.reasoning_summary_text.done", { text });
    this.#add("response.reasoning_summary_part.done", { part });
    this.#events.add({
      type: "response.output_item.done",
      output_index: this.outputIndex,
      item,
    });
    return item;
  }

  #add(type: string, fields: JsonObject, text = ""): void {
    this.#events.add(
      {
        type,
        item_id: this.#id,
        output_index: this.outputIndex,
        summary_index: 0,
        ...fields,
      },
      text,
      true,
    );
  }
}
