/**
 * An output item while it is being written, and the events of a stream that write it.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { EventQueue } from "../base/event_queue.ts";

/** What an item says of itself. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** What all kinds of item have alike. */
export abstract class OpenItem {
  readonly id: string;
  readonly outputIndex: number;
  /** Absent where nobody reads a stream: then no event is made. */
  protected readonly events: EventQueue | undefined;

  constructor(id: string, outputIndex: number, events: EventQueue | undefined) {
    this.id = id;
    this.outputIndex = outputIndex;
    this.events = events;
  }

  /** Announces the item. */
  protected begin(item: JsonObject): void {
    this.events?.add({
      type: "response.output_item.added",
      output_index: this.outputIndex,
      item,
    });
  }

  /** Ends it, whole. */
  protected end(item: JsonObject): JsonObject {
    this.events?.add({ type: "response.output_item.done", output_index: this.outputIndex, item });
    return item;
  }
}
