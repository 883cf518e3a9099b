/**
 * Output items while they are being written, and the events of a stream that write them.
 *
 * @module
 */

import { asObject, type JsonObject } from "../../domain/json_value.ts";
import type { EventQueue } from "../base/event_queue.ts";
import type { CompletionIds } from "../base/completion_ids.ts";
import type { OpenBlock } from "../turns/answer_sink.ts";
import type { ToolKind } from "../turns/blocks.ts";

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

  /**
   * Ends it, whole.
   *
   * @param text What of it no other event has told.
   */
  protected end(item: JsonObject, text = ""): JsonObject {
    const type = "response.output_item.done";
    this.events?.add({ type, output_index: this.outputIndex, item }, text);
    return item;
  }
}

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
  }

  write(delta: string): void {
    if (this.#text === "") this.#add("part.added", { part: summaryPart("") });
    this.#text += delta;
    this.#add("text.delta", { delta }, delta);
  }

  get text(): string {
    return this.#text;
  }

  /**
   * Ends the item and returns it whole.
   *
   * @param sealed How it can be given back; `undefined`: as it is.
   */
  close(sealed: string | undefined): JsonObject {
    const text = this.#text;
    const part = summaryPart(text);
    // Of some thoughts only the seal is told.
    const isTold = text !== "";
    if (isTold) {
      this.#add("text.done", { text });
      this.#add("part.done", { part });
    }
    return this.end({
      id: this.id,
      type: "reasoning",
      summary: isTold ? [part] : [],
      ...(sealed !== undefined && { encrypted_content: sealed }),
    });
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

/** What the kinds of call differ in; a search is told whole. */
const KINDS = {
  function: { prefix: "fc", event: "response.function_call_arguments", field: "arguments" },
  custom: { prefix: "ctc", event: "response.custom_tool_call_input", field: "input" },
  search: { prefix: "tsc", event: undefined, field: "arguments" },
} as const;

/** One call. */
export class OpenCall extends OpenItem {
  readonly #kind: ToolKind;
  readonly #callId: string;
  readonly #name: string;
  readonly #namespace: string | undefined;
  #input = "";

  constructor(
    { kind, id, name, namespace }: OpenBlock & { readonly type: "call" },
    outputIndex: number,
    { ids, events }: { readonly ids: CompletionIds; readonly events: EventQueue | undefined },
  ) {
    super(ids.item(KINDS[kind].prefix), outputIndex, events);
    this.#kind = kind;
    this.#callId = id ?? ids.toolCall();
    this.#name = name;
    this.#namespace = namespace;
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
    if (event === undefined) return this.end(this.#item(status), this.#name + this.#input);
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
    const { event } = KINDS[this.#kind];
    if (event === undefined) return;
    this.events?.add({
      type: `${event}.delta`,
      item_id: this.id,
      output_index: this.outputIndex,
      delta,
    }, text);
  }

  #item(status: ItemStatus): JsonObject {
    const { id } = this;
    const call_id = this.#callId;
    const namespace = this.#namespace;
    const named = {
      call_id,
      ...(namespace !== undefined && { namespace }),
      name: this.#name,
      status,
    };
    switch (this.#kind) {
      case "function":
        return { id, type: "function_call", arguments: this.#input, ...named };
      case "custom":
        return { id, type: "custom_tool_call", input: this.#input, ...named };
      case "search": {
        const asked = argumentsIn(this.#input);
        return {
          id,
          type: "tool_search_call",
          call_id,
          execution: "client",
          arguments: asked,
          status,
        };
      }
    }
  }
}

/** What is no object yet, or never became one, is none. */
function argumentsIn(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text)) ?? {};
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return {};
  }
}
