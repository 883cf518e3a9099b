/**
 * A kept request and its answer as turns of a conversation, whichever dialect they are of. It reads
 * what was shortened, so it takes nothing for granted.
 *
 * @module
 */

import { isObject, type JsonObject } from "../domain/json_value.ts";

/** What a block of a turn is. */
export const BLOCK_KINDS = [
  "text",
  "thinking",
  "tool_call",
  "tool_result",
  "media",
  "refusal",
  "other",
] as const;

/** A part of a turn. */
export interface Block {
  readonly kind: typeof BLOCK_KINDS[number];
  readonly text: string;
  /** Of a tool call its tool's. */
  readonly name?: string;
}

/** What somebody said. */
export interface Turn {
  readonly role: string;
  readonly blocks: readonly Block[];
}

/** The turns of the request, then those of the answer. */
export function conversationOf(request: unknown, answer: unknown): readonly Turn[] {
  const asked = isObject(request) ? request : {};
  const told = isObject(answer) ? answer : {};
  const turns = [
    turn("system", blocksOf(asked.system)),
    turn("system", blocksOf(asked.instructions)),
    ...turnsOf(asked.messages),
    ...(typeof asked.input === "string"
      ? [turn("user", blocksOf(asked.input))]
      : turnsOf(asked.input)),
    turn("user", blocksOf(asked.prompt)),
    ...listOf(told.choices).map(turnOfChoice),
    turn("assistant", blocksOf(told.content)),
    ...turnsOf(told.output),
    turn("error", isObject(told.error) ? blocksOf(told.error.message) : blocksOf(told.error)),
  ];
  return turns.filter(({ blocks }) => blocks.length > 0);
}

function turn(role: string, blocks: readonly Block[]): Turn {
  return { role, blocks };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function turnOfChoice(choice: unknown): Turn {
  if (!isObject(choice)) return turn("assistant", []);
  return isObject(choice.message)
    ? { ...turnOf(choice.message), role: "assistant" }
    : turn("assistant", blocksOf(choice.text));
}

function turnsOf(messages: unknown): readonly Turn[] {
  return listOf(messages).map(turnOf);
}

/** Roles of items that say none. */
const ROLES: Readonly<Record<string, string>> = {
  function_call_output: "tool",
  custom_tool_call_output: "tool",
};

/** A message, or an item of the Responses API. */
function turnOf(message: unknown): Turn {
  if (!isObject(message)) return turn("…", blocksOf(message));
  const { role, type, content } = message;
  if (typeof role !== "string") {
    return turn(ROLES[String(type)] ?? "assistant", blocksOf([message]));
  }
  const said = blocksOf(content);
  return turn(role, [
    ...blocksOf(message.reasoning_content ?? message.reasoning).map(asThinking),
    ...(role === "tool" ? said.map(({ text }) => ({ kind: "tool_result", text } as const)) : said),
    ...blocksOf(message.refusal).map(({ text }) => ({ kind: "refusal", text } as const)),
    ...listOf(message.tool_calls).flatMap((call) => blocksOf([call])),
  ]);
}

function asThinking({ text }: Block): Block {
  return { kind: "thinking", text };
}

function blocksOf(content: unknown): readonly Block[] {
  if (content === undefined || content === null || content === "") return [];
  if (typeof content === "string") return [{ kind: "text", text: content }];
  if (Array.isArray(content)) return content.flatMap(blockOf);
  return blockOf(content);
}

function blockOf(part: unknown): readonly Block[] {
  if (!isObject(part)) return part === "" ? [] : [{ kind: "text", text: wordsOf(part) }];
  const type = typeof part.type === "string" ? part.type : "";
  switch (type) {
    case "text":
    case "input_text":
    case "output_text":
    case "summary_text":
      return blocksOf(part.text);
    case "refusal":
      return [{ kind: "refusal", text: wordsOf(part.refusal) }];
    case "thinking":
      return blocksOf(part.thinking).map(asThinking);
    case "reasoning":
      return [...blocksOf(part.summary), ...blocksOf(part.content)].map(asThinking);
    case "redacted_thinking":
      return [{ kind: "thinking", text: "[sealed]" }];
    case "message":
      return blocksOf(part.content);
    case "function":
      return isObject(part.function) ? [toolCall(part.function, part.function.arguments)] : [];
    case "tool_use":
    case "server_tool_use":
      return [toolCall(part, part.input)];
    case "function_call":
      return [toolCall(part, part.arguments)];
    case "custom_tool_call":
      return [toolCall(part, part.input)];
    case "tool_result":
      return [{ kind: "tool_result", text: textIn(part.content) }];
    case "function_call_output":
    case "custom_tool_call_output":
      return [{ kind: "tool_result", text: textIn(part.output) }];
  }
  if (/image|file|audio|video|document/.test(type)) {
    return [{ kind: "media", text: `${type.replace(/^input_/, "")} ${markIn(part) ?? ""}`.trim() }];
  }
  if (typeof part.text === "string") return blocksOf(part.text);
  return [{ kind: "other", text: wordsOf(part) }];
}

function toolCall({ name }: JsonObject, input: unknown): Block {
  const text = wordsOf(input ?? "");
  return typeof name === "string" ? { kind: "tool_call", text, name } : { kind: "tool_call", text };
}

function textIn(content: unknown): string {
  return blocksOf(content).map(({ text }) => text).join("\n");
}

function wordsOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value) ?? "";
}

/** What stands for a file, the type of which may be beside it. */
function markIn(value: unknown, depth = 0): string | undefined {
  if (typeof value === "string") return value.startsWith("[") ? value : undefined;
  if (!isObject(value) || depth > 4) return undefined;
  for (const key in value) {
    const mark = markIn(value[key], depth + 1);
    const { media_type: type } = value;
    if (mark !== undefined) return typeof type === "string" ? `${type} ${mark}` : mark;
  }
  return undefined;
}
