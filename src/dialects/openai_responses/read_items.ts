/**
 * Input items as turns.
 *
 * @module
 */

import {
  asArray,
  asObject,
  isObject,
  type JsonObject,
  nonEmptyString,
} from "../../domain/json_value.ts";
import { type Block, extraOf, type ToolKind, type Turn } from "../turns/blocks.ts";
import { invalidField } from "../turns/refusals.ts";
import { unwrapThoughts } from "../base/wrapped_seal.ts";
import { unwrapSeal } from "../turns/thought_seals.ts";
import { isCallersSearch, toolOfItem } from "./listed_tools.ts";
import { OPENAI_RESPONSES } from "./schemas.ts";
import { otherBlock, readContent, shownType, stringOf } from "./read_parts.ts";
import { SEARCH_NAME } from "./read_tools.ts";

const MESSAGE_FIELDS = new Set(["type", "role", "content"]);
const REASONING_FIELDS = new Set(["type", "summary", "content", "encrypted_content"]);
const CALL_FIELDS = new Set(["type", "call_id", "name", "namespace", "arguments", "input"]);
const UPDATE_FIELDS = new Set(["type", "id", "status", "reasoning"]);
const OUTPUT_FIELDS = new Set(["type", "call_id", "output"]);

/**
 * The turns of a conversation. Each item is one; what an assistant made one after the other says
 * that it goes on.
 *
 * @param input A list of items.
 * @throws {UpstreamError} `caller`, naming an item that is none, an output without its call or a
 * call without its output.
 */
export function readItems(input: unknown): readonly Turn[] {
  if (!Array.isArray(input) || input.length === 0) {
    throw invalidField("input", "Invalid value for 'input': expected at least one item");
  }
  const reader = new ItemReader();
  input.forEach((item, index) => reader.add(item, `input[${index}]`));
  return reader.end();
}

class ItemReader {
  readonly #turns: Turn[] = [];
  /** Places of the calls without an output yet, by id. */
  readonly #waiting = new Map<string, string>();

  add(item: unknown, at: string): void {
    if (!isObject(item)) {
      throw invalidField(at, `Invalid value for '${at}': expected an object`);
    }
    switch (item.type) {
      case undefined:
      case null:
      case "message":
        return this.#addMessage(item, at);
      case "reasoning":
        return this.#addReasoning(item, at);
      case "function_call":
        return this.#addCall(item, "function", at);
      case "custom_tool_call":
        return this.#addCall(item, "custom", at);
      case "function_call_output":
        return this.#addOutput(item, "function", at);
      case "custom_tool_call_output":
        return this.#addOutput(item, "custom", at);
      case "additional_tools":
        // Its tools are read with the request's.
        return;
      case "configuration_update":
        // So is what it says.
        return isUpdate(item) ? undefined : this.#addOther(item, at);
      case "tool_search_call":
        return isCallersSearch(item) ? this.#addSearch(item, at) : this.#addOther(item, at);
      case "tool_search_output":
        return isCallersSearch(item) ? this.#addFound(item, at) : this.#addOther(item, at);
      case "item_reference":
        return this.#addOther(
          item,
          at,
          "an 'item_reference' to an item that is not stored here (send the item itself)",
        );
      default:
        return this.#addOther(item, at);
    }
  }

  end(): readonly Turn[] {
    for (const [id, at] of this.#waiting) {
      throw invalidField(at, `No tool output found for the call '${id.slice(0, 64)}'`);
    }
    return this.#turns;
  }

  #addMessage(item: JsonObject, at: string): void {
    const { role, content } = item;
    switch (role) {
      case "user":
      case "system":
      case "assistant":
        return this.#addTurn(role, readContent(content, `${at}.content`), item, at);
      case "developer":
        return this.#addTurn("system", readContent(content, `${at}.content`), item, at);
      default:
        throw invalidField(
          `${at}.role`,
          `Invalid value for '${at}.role': expected 'user', 'assistant', 'system' or 'developer'`,
        );
    }
  }

  #addReasoning(item: JsonObject, at: string): void {
    const sealed = nonEmptyString(item.encrypted_content);
    // What was wrapped is whole, whatever a client has kept of its summary.
    const wrapped = unwrapThoughts(sealed);
    const seal = wrapped !== undefined
      ? wrapped.seal && unwrapSeal(wrapped.seal)
      : sealed && { of: OPENAI_RESPONSES, value: sealed };
    this.#add("assistant", {
      type: "reasoning",
      text: wrapped?.text ?? (thoughtsIn(item.content) || thoughtsIn(item.summary)),
      ...(seal && { seal }),
      at,
      ...extraOf(OPENAI_RESPONSES, item, REASONING_FIELDS),
    });
  }

  #addCall(item: JsonObject, kind: ToolKind, at: string): void {
    const id = this.#newId(item, at);
    const name = nonEmptyString(item.name);
    if (name === undefined) {
      throw invalidField(`${at}.name`, `Missing required parameter: '${at}.name'`);
    }
    const field = kind === "function" ? "arguments" : "input";
    const input = stringOf(item[field], `${at}.${field}`);
    const extra = extraOf(OPENAI_RESPONSES, item, CALL_FIELDS);
    const namespace = nonEmptyString(item.namespace);
    const group = namespace === undefined ? undefined : { namespace };
    this.#add("assistant", { type: "call", kind, id, name, ...group, input, at, ...extra });
    this.#waiting.set(id, at);
  }

  #addOutput(item: JsonObject, kind: ToolKind, at: string): void {
    const id = this.#answeredId(item, at);
    const content = readContent(item.output, `${at}.output`);
    const extra = extraOf(OPENAI_RESPONSES, item, OUTPUT_FIELDS);
    this.#add("user", { type: "result", kind, id, content, at, ...extra });
  }

  /** A search for tools, which its caller made. */
  #addSearch(item: JsonObject, at: string): void {
    const id = this.#newId(item, at);
    const input = typeof item.arguments === "string"
      ? item.arguments
      : JSON.stringify(item.arguments ?? {});
    this.#add("assistant", { type: "call", kind: "search", id, name: SEARCH_NAME, input, at });
    this.#waiting.set(id, at);
  }

  /** What it found: the tools themselves are read with the request's. */
  #addFound(item: JsonObject, at: string): void {
    const id = this.#answeredId(item, at);
    const text = foundWords(asArray(item.tools));
    const content = [{ type: "text" as const, text, at }];
    this.#add("user", { type: "result", kind: "search", id, content, at });
  }

  #addOther(
    item: JsonObject,
    at: string,
    what = `an input item of type '${shownType(item.type)}'`,
  ): void {
    const tool = toolOfItem(item.type);
    this.#add("user", { ...otherBlock(item, at, what), ...(tool !== undefined && { tool }) });
  }

  /** Of a call that waits for its output. */
  #newId(item: JsonObject, at: string): string {
    const id = callId(item, at);
    if (!this.#waiting.has(id)) return id;
    throw invalidField(
      `${at}.call_id`,
      `Two calls have the id '${id.slice(0, 64)}': every call needs its own`,
    );
  }

  /** Of a call that has its output with this. */
  #answeredId(item: JsonObject, at: string): string {
    const id = callId(item, at);
    if (this.#waiting.delete(id)) return id;
    throw invalidField(
      at,
      `No tool call found for the output with call_id '${
        id.slice(0, 64)
      }': send the call before it, or go on from the response that made it`,
    );
  }

  #add(role: Turn["role"], block: Block): void {
    this.#push({ role, blocks: [block], at: block.at });
  }

  #addTurn(role: Turn["role"], blocks: readonly Block[], item: JsonObject, at: string): void {
    const extra = extraOf(OPENAI_RESPONSES, item, MESSAGE_FIELDS);
    const isDeveloper = item.role === "developer";
    const own = isDeveloper
      ? { extra: { of: OPENAI_RESPONSES, fields: { ...extra.extra?.fields, role: item.role } } }
      : extra;
    this.#push({ role, blocks, at, ...own });
  }

  #push(turn: Turn): void {
    const goesOn = turn.role === "assistant" && this.#turns.at(-1)?.role === "assistant";
    this.#turns.push(goesOn ? { ...turn, continues: true } : turn);
  }
}

function callId({ call_id }: JsonObject, at: string): string {
  const id = nonEmptyString(call_id);
  if (id !== undefined) return id;
  throw invalidField(`${at}.call_id`, `Missing required parameter: '${at}.call_id'`);
}

/** Whether an item says how much the model is to think from then on, and nothing else. */
export function isUpdate(item: unknown): item is JsonObject {
  return isObject(item) && item.type === "configuration_update" &&
    Object.keys(item).every((field) => UPDATE_FIELDS.has(field));
}

/** What tools were found, in words for a model: from now on it is offered them. */
function foundWords(tools: readonly unknown[]): string {
  const names = tools.flatMap((tool) => {
    const { name, tools: members } = asObject(tool) ?? {};
    const inside = asArray(members).map((member) => `${String(name)}: ${nameIn(member)}`);
    return Array.isArray(members) ? inside : [nameIn(tool)];
  });
  if (names.length === 0) return "No tools were found.";
  return `These tools were found and can be called now:\n${names.join("\n")}`;
}

function nameIn(tool: unknown): string {
  const { name, description } = asObject(tool) ?? {};
  const [line = ""] = typeof description === "string" ? description.split("\n", 1) : [];
  return line === "" ? String(name) : `${String(name)} (${line})`;
}

function thoughtsIn(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts.map((part) => isObject(part) && typeof part.text === "string" ? part.text : "")
    .join("\n");
}
