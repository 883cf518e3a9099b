/**
 * Repairs an output item: every key that OpenAI requires of its type is there,
 * and has the type that clients read.
 *
 * @module
 */

import type { CompletionIds } from "../../../dialects/base/completion_ids.ts";
import { isObject, type JsonObject, nonEmptyString } from "../../../domain/json_value.ts";

/** The status of an item whose upstream says none. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** What a repair needs. */
export interface RepairItemOptions {
  readonly ids: CompletionIds;
  readonly status: ItemStatus;
}

const PREFIXES: ReadonlyMap<unknown, "msg" | "rs" | "fc" | "ctc"> = new Map([
  ["message", "msg"],
  ["reasoning", "rs"],
  ["function_call", "fc"],
  ["custom_tool_call", "ctc"],
]);

/** Repairs in place. Types other than messages, reasoning and calls only get an id. */
export function repairItem(item: JsonObject, { ids, status }: RepairItemOptions): void {
  if (item.type === undefined && item.role !== undefined) item.type = "message";
  if (nonEmptyString(item.id) === undefined) {
    item.id = ids.item(PREFIXES.get(item.type) ?? "item");
  }
  switch (item.type) {
    case "message":
      item.role = "assistant";
      item.content = partsOf(item.content, "output_text");
      if (nonEmptyString(item.status) === undefined) item.status = status;
      return;
    case "reasoning":
      item.summary = partsOf(item.summary, "summary_text");
      // vLLM and its like send null for what they do not have.
      if (item.content === null || item.content === undefined) delete item.content;
      else item.content = partsOf(item.content, "reasoning_text");
      if (item.status === null) delete item.status;
      return;
    case "function_call":
      repairCall(item, "arguments", ids);
      if (nonEmptyString(item.status) === undefined) item.status = status;
      return;
    case "custom_tool_call":
      repairCall(item, "input", ids);
      return;
  }
}

/** Repairs a part of a message or of reasoning, in place. */
export function repairPart(part: JsonObject): void {
  if (part.type === "text") part.type = "output_text";
  switch (part.type) {
    case "output_text":
      if (typeof part.text !== "string") part.text = "";
      if (!Array.isArray(part.annotations)) part.annotations = [];
      if (!Array.isArray(part.logprobs)) part.logprobs = [];
      return;
    case "refusal":
      if (typeof part.refusal !== "string") part.refusal = "";
      return;
    case "reasoning_text":
    case "summary_text":
      if (typeof part.text !== "string") part.text = "";
      return;
  }
}

/** What the model wrote in a repaired item: thoughts, text, refusals, names and inputs of calls. */
export function textOfItem(item: JsonObject): string {
  let text = "";
  for (const field of ["summary", "content"]) {
    const parts = item[field];
    if (!Array.isArray(parts)) continue;
    for (const part of parts) if (isObject(part)) text += stringOr(part.text ?? part.refusal);
  }
  return text + nameOfCall(item) + stringOr(item.arguments) + stringOr(item.input) +
    stringOr(item.code);
}

/** The name of the tool that an item calls, which the model wrote too; "" for other items. */
export function nameOfCall(item: JsonObject): string {
  return item.type === "function_call" || item.type === "custom_tool_call"
    ? stringOr(item.name)
    : "";
}

function repairCall(item: JsonObject, field: "arguments" | "input", ids: CompletionIds): void {
  if (nonEmptyString(item.call_id) === undefined) item.call_id = ids.toolCall();
  if (typeof item.name !== "string") item.name = "";
  if (typeof item[field] === "string") return;
  item[field] = item[field] === undefined || item[field] === null
    ? ""
    : JSON.stringify(item[field]);
}

function partsOf(value: unknown, type: string): JsonObject[] {
  const given = typeof value === "string" && value !== "" ? [value] : value;
  if (!Array.isArray(given)) return [];
  const parts = given.map((part) => typeof part === "string" ? { type, text: part } : part)
    .filter(isObject);
  for (const part of parts) {
    part.type ??= type;
    // The same thoughts under the name that a message's text has.
    if (type === "reasoning_text" && part.type === "output_text") part.type = type;
    repairPart(part);
  }
  return parts;
}

function stringOr(value: unknown): string {
  return typeof value === "string" ? value : "";
}
