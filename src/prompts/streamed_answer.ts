/**
 * What the events of a streamed answer say together, in the form that the same answer has in one piece:
 * only a whole text can be redacted, as a secret may come in two events.
 *
 * @module
 */

import { isObject, type JsonObject } from "../domain/json_value.ts";

/** The answer that server-sent events make, of whichever dialect; a stream that was cut off makes what came. */
export function streamedAnswer(events: string): JsonObject {
  const answer = new StreamedAnswer();
  for (const event of events.split(/\r?\n\r?\n/)) {
    const data = event.split(/\r?\n/).filter((line) => line.startsWith("data:"))
      .map((line) => line.slice(5).trimStart()).join("\n");
    if (data === "" || data === "[DONE]") continue;
    try {
      const value: unknown = JSON.parse(data);
      if (isObject(value)) answer.add(value);
    } catch (error) {
      // The last event of a stream that was kept in part.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  return answer.whole();
}

/** Members of a value, where it is an object. */
function membersOf(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Most parts of an answer: an index is the upstream's to choose. */
const MOST_PARTS = 1_000;

/** Those of one answer, by their index. */
class Parts {
  readonly #parts = new Map<number, Record<string, unknown>>();

  at(index: unknown): Record<string, unknown> {
    const key = typeof index === "number" && this.#parts.size < MOST_PARTS ? index : 0;
    let part = this.#parts.get(key);
    if (part === undefined) this.#parts.set(key, part = {});
    return part;
  }

  put(index: unknown, part: JsonObject): void {
    const open = this.at(index);
    for (const key in open) delete open[key];
    Object.assign(open, part);
  }

  get list(): Record<string, unknown>[] {
    return [...this.#parts].sort(([a], [b]) => a - b).map(([, part]) => part);
  }
}

class StreamedAnswer {
  #base: JsonObject = {};
  readonly #choices = new Parts();
  readonly #toolCalls = new Map<object, Parts>();
  readonly #blocks = new Parts();
  readonly #output = new Parts();
  /** The answer in one piece, where the stream has told it. */
  #told: JsonObject | undefined;

  add(event: JsonObject): void {
    const { type } = event;
    if (event.error !== undefined && event.error !== null) {
      this.#base = { ...this.#base, error: event.error };
    }
    if (Array.isArray(event.choices)) this.#addChunk(event);
    else if (typeof type === "string" && type.startsWith("response.")) this.#addItem(type, event);
    else if (typeof type === "string") this.#addBlock(type, event);
  }

  whole(): JsonObject {
    if (this.#told !== undefined) return { ...this.#base, ...this.#told };
    const [choices, blocks, output] = [this.#choices, this.#blocks, this.#output];
    for (const [message, calls] of this.#toolCalls) {
      Object.assign(message, { tool_calls: calls.list });
    }
    return {
      ...this.#base,
      ...(choices.list.length > 0 && { choices: choices.list }),
      ...(blocks.list.length > 0 && { content: blocks.list.map(closedBlock) }),
      ...(output.list.length > 0 && { output: output.list }),
    } as JsonObject;
  }

  /** Of chat or completions. */
  #addChunk({ choices, ...rest }: JsonObject): void {
    this.#base = { ...this.#base, ...rest };
    for (const one of choices as readonly unknown[]) {
      const { index, delta, text, finish_reason: reason } = membersOf(one);
      const choice = this.#choices.at(index);
      if (reason !== undefined && reason !== null) choice.finish_reason = reason;
      if (typeof text === "string") append(choice, "text", text);
      if (!isObject(delta)) continue;
      const message = (choice.message ??= {}) as Record<string, unknown>;
      for (const [key, value] of Object.entries(delta)) {
        if (key === "tool_calls" && Array.isArray(value)) this.#addToolCalls(message, value);
        else if (key !== "role" && typeof value === "string") append(message, key, value);
        else if (value !== null) message[key] = value;
      }
    }
  }

  #addToolCalls(message: object, calls: readonly unknown[]): void {
    let parts = this.#toolCalls.get(message);
    if (parts === undefined) this.#toolCalls.set(message, parts = new Parts());
    for (const call of calls) {
      const { index, function: named, ...rest } = membersOf(call);
      const open = parts.at(index);
      Object.assign(open, rest);
      const made = (open.function ??= {}) as Record<string, unknown>;
      const { name, arguments: text } = membersOf(named);
      if (typeof name === "string") append(made, "name", name);
      if (typeof text === "string") append(made, "arguments", text);
    }
  }

  /** Of Messages. */
  #addBlock(type: string, event: JsonObject): void {
    if (type === "message_start") this.#base = { ...membersOf(event.message), ...this.#base };
    if (type === "content_block_start") {
      this.#blocks.put(event.index, membersOf(event.content_block));
    }
    const delta = membersOf(event.delta);
    if (type === "message_delta") {
      const usage = { ...membersOf(this.#base.usage), ...membersOf(event.usage) };
      this.#base = { ...this.#base, ...delta, usage };
    }
    if (type !== "content_block_delta") return;
    const block = this.#blocks.at(event.index);
    for (const [key, value] of Object.entries(delta)) {
      if (key !== "type" && typeof value === "string") append(block, key, value);
    }
  }

  /** Of Responses. */
  #addItem(type: string, event: JsonObject): void {
    const index = event.output_index;
    switch (type) {
      case "response.created":
        this.#base = { ...membersOf(event.response), ...this.#base };
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.#told = membersOf(event.response);
        break;
      case "response.output_item.done":
        this.#output.put(index, membersOf(event.item));
        break;
      case "response.output_text.delta": {
        const item = this.#output.at(index);
        item.type = "message";
        item.role = "assistant";
        append(item, "content", String(event.delta ?? ""));
        break;
      }
      case "response.function_call_arguments.delta": {
        const item = this.#output.at(index);
        item.type = "function_call";
        append(item, "arguments", String(event.delta ?? ""));
      }
    }
  }
}

function append(part: Record<string, unknown>, key: string, text: string): void {
  const before = part[key];
  part[key] = (typeof before === "string" ? before : "") + text;
}

/** With the input that came as pieces of JSON. */
function closedBlock({ partial_json: json, ...block }: Record<string, unknown>): unknown {
  if (typeof json !== "string" || json === "") return block;
  try {
    return { ...block, input: JSON.parse(json) };
  } catch (error) {
    if (error instanceof SyntaxError) return { ...block, input: json };
    throw error;
  }
}
