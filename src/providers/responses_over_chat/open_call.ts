/**
 * A tool call while it is being streamed.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import type { CompletionIds } from "../completion_ids.ts";
import type { EventWriter } from "./event_writer.ts";
import { callItem, type ItemStatus } from "./output_items.ts";

/** What the two kinds of call differ in. */
const KINDS = {
  function: { prefix: "fc", event: "response.function_call_arguments", field: "arguments" },
  custom: { prefix: "ctc", event: "response.custom_tool_call_input", field: "input" },
} as const;

/** One call, from its first delta on. */
export class OpenCall {
  readonly outputIndex: number;
  readonly #id: string;
  readonly #kind: keyof typeof KINDS;
  readonly #callId: string;
  readonly #events: EventWriter;
  #name = "";
  #input = "";
  /** Whether it is announced: that takes its name, which may come late. */
  #isShown = false;

  /** @param first The first delta of the call; it is still to be written. */
  constructor(first: JsonObject, outputIndex: number, options: {
    readonly ids: CompletionIds;
    readonly events: EventWriter;
  }) {
    this.outputIndex = outputIndex;
    this.#kind = first.type === "custom" || isObject(first.custom) ? "custom" : "function";
    this.#id = options.ids.item(KINDS[this.#kind].prefix);
    this.#callId = nonEmptyString(first.id) ?? options.ids.toolCall();
    this.#events = options.events;
  }

  write(delta: JsonObject): void {
    const called = delta[this.#kind];
    if (!isObject(called)) return;
    if (this.#name === "") this.#name = nonEmptyString(called.name) ?? "";
    const more = nonEmptyString(called[KINDS[this.#kind].field]) ?? "";
    this.#input += more;
    if (this.#isShown) this.#writeDelta(more);
    else if (this.#name !== "") this.#show();
  }

  /** Ends the call and returns it as an item. */
  close(status: ItemStatus): JsonObject {
    if (!this.#isShown) this.#show();
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

  #show(): void {
    this.#isShown = true;
    this.#events.add({
      type: "response.output_item.added",
      output_index: this.outputIndex,
      item: this.#item("", "in_progress"),
    });
    this.#writeDelta(this.#input);
  }

  /** @param text What of it the model wrote. */
  #writeDelta(delta: string, text = delta): void {
    if (delta === "") return;
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
