/**
 * A tool call while it is being written.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import type { CompletionIds } from "../base/completion_ids.ts";
import type { EventQueue } from "../base/event_queue.ts";
import type { OpenBlock } from "../turns/answer_sink.ts";
import type { ToolKind } from "../turns/blocks.ts";
import { type ItemStatus, OpenItem } from "./open_item.ts";

/** What the two kinds of call differ in. */
const KINDS = {
  function: { prefix: "fc", event: "response.function_call_arguments", field: "arguments" },
  custom: { prefix: "ctc", event: "response.custom_tool_call_input", field: "input" },
} as const;

/** One call. */
export class OpenCall extends OpenItem {
  readonly #kind: ToolKind;
  readonly #callId: string;
  readonly #name: string;
  #input = "";

  constructor(
    { kind, id, name }: OpenBlock & { readonly type: "call" },
    outputIndex: number,
    { ids, events }: { readonly ids: CompletionIds; readonly events: EventQueue | undefined },
  ) {
    super(ids.item(KINDS[kind].prefix), outputIndex, events);
    this.#kind = kind;
    this.#callId = id ?? ids.toolCall();
    this.#name = name;
    this.begin(this.#item("in_progress"));
  }

  write(input: string): void {
    this.#input += input;
    this.#writeDelta(input);
  }

  /** Ends the call and returns it as an item. */
  close(status: ItemStatus): JsonObject {
    const kind = this.#kind;
    if (kind === "function" && this.#input === "" && status === "completed") {
      // Some servers send nothing for no arguments, which is no JSON.
      this.#input = "{}";
      this.#writeDelta(this.#input, "");
    }
    const { event, field } = KINDS[kind];
    this.events?.add({
      type: `${event}.done`,
      item_id: this.id,
      output_index: this.outputIndex,
      ...(kind === "function" && { name: this.#name }),
      [field]: this.#input,
    }, this.#name);
    return this.end(this.#item(status));
  }

  /** @param text What of it the model wrote. */
  #writeDelta(delta: string, text = delta): void {
    this.events?.add({
      type: `${KINDS[this.#kind].event}.delta`,
      item_id: this.id,
      output_index: this.outputIndex,
      delta,
    }, text);
  }

  #item(status: ItemStatus): JsonObject {
    const named = { call_id: this.#callId, name: this.#name, status };
    return this.#kind === "function"
      ? { id: this.id, type: "function_call", arguments: this.#input, ...named }
      : { id: this.id, type: "custom_tool_call", input: this.#input, ...named };
  }
}
