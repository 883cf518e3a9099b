/**
 * A tool call while it is being streamed.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { CompletionIds } from "../base/completion_ids.ts";
import type { ToolKind } from "../turns/blocks.ts";
import type { EventQueue } from "../base/event_queue.ts";
import { callItem, type ItemStatus } from "./output_items.ts";

/** What the two kinds of call differ in. */
const KINDS = {
  function: { prefix: "fc", event: "response.function_call_arguments", field: "arguments" },
  custom: { prefix: "ctc", event: "response.custom_tool_call_input", field: "input" },
} as const;

/** One call. */
export class OpenCall {
  readonly outputIndex: number;
  readonly #id: string;
  readonly #kind: ToolKind;
  readonly #callId: string;
  readonly #name: string;
  readonly #events: EventQueue;
  #input = "";

  /** Announces the item. */
  constructor(
    { kind, id, name }: {
      readonly kind: ToolKind;
      readonly id: string | undefined;
      readonly name: string;
    },
    outputIndex: number,
    { ids, events }: { readonly ids: CompletionIds; readonly events: EventQueue },
  ) {
    this.outputIndex = outputIndex;
    this.#kind = kind;
    this.#id = ids.item(KINDS[kind].prefix);
    this.#callId = id ?? ids.toolCall();
    this.#name = name;
    this.#events = events;
    events.add({
      type: "response.output_item.added",
      output_index: outputIndex,
      item: this.#item("", "in_progress"),
    });
  }

  write(input: string): void {
    this.#input += input;
    this.#writeDelta(input);
  }

  /** Ends the call and returns it as an item. */
  close(status: ItemStatus): JsonObject {
    if (this.#kind === "function" && this.#input === "" && status === "completed") {
      // Some servers send nothing for no arguments, which is no JSON.
      this.#input = "{}";
      this.#writeDelta(this.#input, "");
    }
    const item = this.#item(this.#input, status);
    const { event, field } = KINDS[this.#kind];
    this.#events.add({
      type: `${event}.done`,
      item_id: this.#id,
      output_index: this.outputIndex,
      ...(this.#kind === "function" && { name: this.#name }),
      [field]: this.#input,
    }, this.#name);
    this.#events.add({
      type: "response.output_item.done",
      output_index: this.outputIndex,
      item,
    });
    return item;
  }

  /** @param text What of it the model wrote. */
  #writeDelta(delta: string, text = delta): void {
    this.#events.add({
      type: `${KINDS[this.#kind].event}.delta`,
      item_id: this.#id,
      output_index: this.outputIndex,
      delta,
    }, text);
  }

  #item(input: string, status: ItemStatus): JsonObject {
    const call = { kind: this.#kind, callId: this.#callId, name: this.#name, input };
    return callItem(this.#id, call, status);
  }
}
