/**
 * Repairs that a message and a delta share: content in parts, roles, tool calls
 * that are empty.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../../domain/json_value.ts";
import { thoughtsOf } from "../../../dialects/openai_chat/answer_reader.ts";

/**
 * Brings a message or delta into OpenAI's shape, in place: `content` as a string
 * (Mistral sends parts), thinking as `reasoning_content`, no empty `tool_calls`.
 */
export function repairMessage(message: JsonObject): void {
  if (Array.isArray(message.content)) joinParts(message, message.content);
  const calls = message.tool_calls;
  if (calls !== undefined && (!Array.isArray(calls) || calls.length === 0)) {
    delete message.tool_calls;
  }
}

/** What the model wrote in a message or delta: reasoning, text, refusal, tool calls. */
export function textOf(message: JsonObject): string {
  let text = typeof message.content === "string" ? message.content : "";
  // The same thoughts under either name, or under both.
  text = thoughtsOf(message) + text;
  if (typeof message.refusal === "string") text += message.refusal;
  if (Array.isArray(message.tool_calls)) {
    for (const call of message.tool_calls) if (isObject(call)) text += textOfCall(call);
  }
  return text;
}

function textOfCall(call: JsonObject): string {
  const called = isObject(call.function) ? call.function : call.custom;
  if (!isObject(called)) return "";
  let text = "";
  if (typeof called.name === "string") text += called.name;
  if (typeof called.arguments === "string") text += called.arguments;
  if (typeof called.input === "string") text += called.input;
  return text;
}

function joinParts(message: JsonObject, parts: readonly unknown[]): void {
  let text = "";
  let thoughts = "";
  for (const part of parts) {
    if (typeof part === "string") text += part;
    if (!isObject(part)) continue;
    if (part.type === "thinking") thoughts += textOfPart(part.thinking);
    else if (typeof part.text === "string") text += part.text;
  }
  message.content = text;
  if (thoughts !== "") {
    const before = typeof message.reasoning_content === "string" ? message.reasoning_content : "";
    message.reasoning_content = before + thoughts;
  }
}

function textOfPart(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map((part) => isObject(part) && typeof part.text === "string" ? part.text : "")
    .join("");
}
