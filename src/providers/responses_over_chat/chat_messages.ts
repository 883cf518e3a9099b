/**
 * Input items as chat messages.
 *
 * @module
 */

import { isObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { invalidField, notInChat } from "./caller_error.ts";
import { stringOf, textContent, userContent } from "./chat_content.ts";

/** What the conversation is made of. */
export interface ChatMessagesOptions {
  readonly instructions: unknown;
  /** Give an assistant's thoughts back with the tool calls they led to. */
  readonly keepsReasoning: boolean;
}

/**
 * Converts a conversation.
 *
 * Items that an assistant made one after the other become one message, with all
 * its tool calls; their outputs stand right behind it, where chat wants them.
 * `developer` becomes `system`, which every server knows. Reasoning goes back as
 * `reasoning_content` with the tool calls that followed it (DeepSeek and Kimi
 * demand it there) and nowhere else; what is encrypted cannot.
 *
 * @param input A list of items.
 * @throws {UpstreamError} `caller`, naming the item that chat does not have, an
 * output without its call or a call without its output.
 */
export function toChatMessages(input: unknown, options: ChatMessagesOptions): JsonObject[] {
  if (!Array.isArray(input) || input.length === 0) {
    throw invalidField("input", "Invalid value for 'input': expected at least one item");
  }
  const writer = new ConversationWriter(options);
  input.forEach((item, at) => writer.add(item, `input[${at}]`));
  return writer.end();
}

/** A message, and the outputs of the tools that it calls. */
interface Turn {
  readonly message: JsonObject;
  readonly calls: JsonObject[];
  readonly outputs: JsonObject[];
  thoughts: string;
}

class ConversationWriter {
  readonly #turns: Turn[] = [];
  readonly #keepsReasoning: boolean;
  /** Calls without an output yet, by id, with their place. */
  readonly #waiting = new Map<string, { readonly turn: Turn; readonly param: string }>();
  /** The assistant's turn that its next item belongs to. */
  #open: Turn | undefined;

  constructor({ instructions, keepsReasoning }: ChatMessagesOptions) {
    this.#keepsReasoning = keepsReasoning;
    if (instructions === undefined || instructions === null || instructions === "") return;
    this.#begin({ role: "system", content: stringOf(instructions, "instructions") });
  }

  add(item: unknown, param: string): void {
    if (!isObject(item)) {
      throw invalidField(param, `Invalid value for '${param}': expected an object`);
    }
    const { type } = item;
    switch (type) {
      case undefined:
      case null:
      case "message":
        return this.#addMessage(item, param);
      case "reasoning":
        return this.#addReasoning(item);
      case "function_call":
      case "custom_tool_call":
        return this.#addCall(item, param);
      case "function_call_output":
      case "custom_tool_call_output":
        return this.#addOutput(item, param);
      case "item_reference":
        throw notInChat(
          `${param}.type`,
          "an 'item_reference' to an item that is not stored here (send the item itself)",
        );
      default: {
        const name = typeof type === "string" ? type.slice(0, 64) : typeof type;
        throw notInChat(`${param}.type`, `an input item of type '${name}'`);
      }
    }
  }

  end(): JsonObject[] {
    for (const [id, { param }] of this.#waiting) {
      throw invalidField(param, `No tool output found for the call '${id.slice(0, 64)}'`);
    }
    return this.#turns.flatMap((turn) => {
      const { message, calls, outputs, thoughts } = turn;
      if (calls.length > 0) {
        message.tool_calls = calls;
        if (message.content === "") message.content = null;
        if (thoughts !== "" && this.#keepsReasoning) message.reasoning_content = thoughts;
      } else if (turn.message.role === "assistant" && message.content === "" && thoughts !== "") {
        // Thoughts that led to nothing: no message.
        return [];
      }
      return [message, ...outputs];
    });
  }

  #addMessage({ role, content }: JsonObject, param: string): void {
    const place = { param: `${param}.content`, joint: "" };
    switch (role) {
      case "user":
        this.#begin({ role, content: userContent(content, place.param) });
        return;
      case "system":
      case "developer":
        this.#begin({ role: "system", content: textContent(content, place) });
        return;
      case "assistant": {
        const text = textContent(content, place);
        const turn = this.#assistantTurn();
        const before = turn.message.content as string;
        if (before === "") turn.message.content = text;
        else if (turn.calls.length > 0) turn.message.content = `${before}\n\n${text}`;
        else this.#open = this.#begin({ role: "assistant", content: text });
        return;
      }
      default:
        throw invalidField(
          `${param}.role`,
          `Invalid value for '${param}.role': expected 'user', 'assistant', 'system' or 'developer'`,
        );
    }
  }

  #addReasoning({ content, summary, encrypted_content }: JsonObject): void {
    if (nonEmptyString(encrypted_content) !== undefined) return;
    const text = thoughtsIn(content) || thoughtsIn(summary);
    if (text === "") return;
    const open = this.#open;
    // Thoughts after an answer belong to what comes next.
    const isNext = open !== undefined && (open.calls.length > 0 || open.message.content !== "");
    const turn = isNext ? this.#beginAssistant() : this.#assistantTurn();
    turn.thoughts += turn.thoughts === "" ? text : `\n${text}`;
  }

  #addCall(item: JsonObject, param: string): void {
    const id = callId(item, param);
    if (this.#waiting.has(id)) {
      throw invalidField(
        `${param}.call_id`,
        `Two calls have the id '${id.slice(0, 64)}': every call needs its own`,
      );
    }
    const name = nonEmptyString(item.name);
    if (name === undefined) {
      throw invalidField(`${param}.name`, `Missing required parameter: '${param}.name'`);
    }
    const turn = this.#assistantTurn();
    turn.calls.push(
      item.type === "function_call"
        ? {
          id,
          type: "function",
          function: { name, arguments: stringOf(item.arguments, `${param}.arguments`) },
        }
        : { id, type: "custom", custom: { name, input: stringOf(item.input, `${param}.input`) } },
    );
    this.#waiting.set(id, { turn, param });
  }

  #addOutput(item: JsonObject, param: string): void {
    const id = callId(item, param);
    const call = this.#waiting.get(id);
    if (call === undefined) {
      throw invalidField(
        param,
        `No tool call found for the output with call_id '${
          id.slice(0, 64)
        }': send the call before it, or go on from the response that made it`,
      );
    }
    this.#waiting.delete(id);
    const content = textContent(item.output, { param: `${param}.output`, joint: "\n" });
    call.turn.outputs.push({ role: "tool", tool_call_id: id, content });
    this.#open = undefined;
  }

  #assistantTurn(): Turn {
    return this.#open ?? this.#beginAssistant();
  }

  #beginAssistant(): Turn {
    return this.#open = this.#begin({ role: "assistant", content: "" });
  }

  #begin(message: JsonObject): Turn {
    const turn: Turn = { message, calls: [], outputs: [], thoughts: "" };
    this.#turns.push(turn);
    this.#open = undefined;
    return turn;
  }
}

function callId({ call_id }: JsonObject, param: string): string {
  const id = nonEmptyString(call_id);
  if (id !== undefined) return id;
  throw invalidField(`${param}.call_id`, `Missing required parameter: '${param}.call_id'`);
}

function thoughtsIn(parts: unknown): string {
  if (!Array.isArray(parts)) return "";
  return parts.map((part) => isObject(part) && typeof part.text === "string" ? part.text : "")
    .join("\n");
}
