/**
 * Turns as chat messages.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import {
  type Block,
  type CallBlock,
  ownExtra,
  type ReasoningBlock,
  type ResultBlock,
  type Turn,
} from "../turns/blocks.ts";
import type { WriteOptions } from "../base/turns_format.ts";
import type { TurnsRequest } from "../turns/turns_request.ts";
import { OPENAI_CHAT } from "./schemas.ts";
import { textContent, userContent } from "./write_parts.ts";

/**
 * Writes a conversation.
 *
 * What an assistant said in turns that go on becomes one message, with all its tool calls; their
 * outputs stand right behind it, where chat wants them. Reasoning goes back as
 * `reasoning_content` with the tool calls that followed it (DeepSeek and Kimi demand it there)
 * and nowhere else; what is sealed by another vendor cannot.
 *
 * @throws {NotCarried} Naming the block that chat does not have.
 */
export function writeMessages(
  { instructions, turns }: Pick<TurnsRequest, "instructions" | "turns">,
  { keepsReasoning }: WriteOptions,
): JsonObject[] {
  const writer = new MessageWriter(keepsReasoning);
  if (instructions.length > 0) {
    writer.begin({ role: "system", content: textContent(instructions, "\n\n") });
  }
  for (const turn of turns) writer.add(turn);
  return writer.end();
}

/** A message, and the outputs of the tools that it calls. */
interface Draft {
  readonly message: JsonObject;
  readonly calls: JsonObject[];
  readonly outputs: JsonObject[];
  thoughts: string;
}

class MessageWriter {
  readonly #drafts: Draft[] = [];
  readonly #keepsReasoning: boolean;
  /** Messages with calls without an output yet, by the calls' ids. */
  readonly #waiting = new Map<string, Draft>();
  /** The assistant's message that its next block belongs to. */
  #open: Draft | undefined;

  constructor(keepsReasoning: boolean) {
    this.#keepsReasoning = keepsReasoning;
  }

  add(turn: Turn): void {
    const { role, blocks, extra } = turn;
    switch (role) {
      case "system":
        this.begin({
          role,
          content: textContent(blocks, ""),
          ...ownExtra(OPENAI_CHAT, extra),
        });
        return;
      case "user":
        return this.#addUser(turn);
      case "assistant":
        if (turn.continues !== true) this.#open = undefined;
        this.#addAssistant(blocks);
        if (extra !== undefined) {
          Object.assign(this.#assistant().message, ownExtra(OPENAI_CHAT, extra));
        }
    }
  }

  begin(message: JsonObject): Draft {
    const draft: Draft = { message, calls: [], outputs: [], thoughts: "" };
    this.#drafts.push(draft);
    this.#open = undefined;
    return draft;
  }

  end(): JsonObject[] {
    return this.#drafts.flatMap(({ message, calls, outputs, thoughts }) => {
      if (calls.length > 0) {
        message.tool_calls = calls;
        if (message.content === "") message.content = null;
        if (thoughts !== "" && this.#keepsReasoning) message.reasoning_content = thoughts;
      } else if (message.role === "assistant" && message.content === "" && thoughts !== "") {
        // Thoughts that led to nothing: no message.
        return [];
      }
      return [message, ...outputs];
    });
  }

  #addUser({ blocks, extra }: Turn): void {
    const shown = blocks.flatMap((block) => block.type === "result" ? this.#addResult(block) : []);
    const said = [...shown, ...blocks.filter((block) => block.type !== "result")];
    if (said.length > 0 || blocks.length === 0) {
      this.begin({ role: "user", content: userContent(said), ...ownExtra(OPENAI_CHAT, extra) });
    }
  }

  /** @returns What of it chat takes from users alone. */
  #addResult({ id, content, extra, isError }: ResultBlock): readonly Block[] {
    const shown = content.filter(({ type }) => type === "image" || type === "file");
    const told = content.filter((block) => !shown.includes(block));
    const text = textContent(told, "\n");
    const output = {
      role: "tool",
      tool_call_id: id,
      // Chat has no word for it.
      content: isError === true ? `Error: ${text}` : text,
      ...ownExtra(OPENAI_CHAT, extra),
    };
    const call = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (call === undefined) this.begin(output);
    else call.outputs.push(output);
    this.#open = undefined;
    const [first] = shown;
    if (first === undefined) return [];
    return [{ type: "text", text: `What the call ${id} gave:`, at: first.at }, ...shown];
  }

  #addAssistant(blocks: readonly Block[]): void {
    if (blocks.length === 0) this.#addText("");
    let texts: Block[] = [];
    for (const block of blocks) {
      switch (block.type) {
        case "reasoning":
        case "call":
          if (texts.length > 0) this.#addText(textContent(texts, ""));
          texts = [];
          if (block.type === "call") this.#addCall(block);
          else this.#addReasoning(block);
          break;
        default:
          texts.push(block);
      }
    }
    if (texts.length > 0) this.#addText(textContent(texts, ""));
  }

  #addText(text: string): void {
    const draft = this.#assistant();
    const before = draft.message.content as string;
    if (before === "") draft.message.content = text;
    else if (draft.calls.length > 0) draft.message.content = `${before}\n\n${text}`;
    else this.#open = this.begin({ role: "assistant", content: text });
  }

  #addReasoning({ text, seal }: ReasoningBlock): void {
    if (seal !== undefined || text === "") return;
    const open = this.#open;
    // Thoughts after an answer belong to what comes next.
    const isNext = open !== undefined && (open.calls.length > 0 || open.message.content !== "");
    const draft = isNext ? this.#beginAssistant() : this.#assistant();
    draft.thoughts += draft.thoughts === "" ? text : `\n${text}`;
  }

  #addCall({ id, kind, name, input, extra }: CallBlock): void {
    const draft = this.#assistant();
    const called = kind === "function"
      ? { function: { name, arguments: input } }
      : { custom: { name, input } };
    draft.calls.push({ id, type: kind, ...called, ...ownExtra(OPENAI_CHAT, extra) });
    this.#waiting.set(id, draft);
  }

  #assistant(): Draft {
    return this.#open ?? this.#beginAssistant();
  }

  #beginAssistant(): Draft {
    return this.#open = this.begin({ role: "assistant", content: "" });
  }
}
