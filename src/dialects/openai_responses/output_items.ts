/**
 * The items that an answer consists of, as they are when they are whole.
 *
 * @module
 */

import { isObject, type JsonObject } from "../../domain/json_value.ts";

/** What an item says of itself. */
export type ItemStatus = "in_progress" | "completed" | "incomplete";

/** An output message; its parts are those of {@linkcode textPart} and {@linkcode refusalPart}. */
export function messageItem(
  id: string,
  { content, status }: { readonly content: readonly JsonObject[]; readonly status: ItemStatus },
): JsonObject {
  return { id, type: "message", status, role: "assistant", content };
}

/** What the model said. */
export function textPart(text: string, logprobs: readonly JsonObject[] = []): JsonObject {
  return { type: "output_text", text, annotations: [], logprobs };
}

/** What it would not say. */
export function refusalPart(refusal: string): JsonObject {
  return { type: "refusal", refusal };
}

/**
 * The model's thoughts. They stand in `summary`, because that is what clients show:
 * neither the AI SDK nor LangChain reads `reasoning_text`. It has no status: OpenAI's
 * own endpoint refuses one when the item is sent back.
 */
export function reasoningItem(id: string, summary: readonly JsonObject[]): JsonObject {
  return { id, type: "reasoning", summary };
}

/** A part of a reasoning item. */
export function summaryPart(text: string): JsonObject {
  return { type: "summary_text", text };
}

/** A tool call of either kind. */
export interface ToolCall {
  readonly kind: "function" | "custom";
  readonly callId: string;
  readonly name: string;
  /** A function's arguments, or a custom tool's input. */
  readonly input: string;
}

/** A call as an item: `function_call` or `custom_tool_call`. */
export function callItem(
  id: string,
  call: ToolCall,
  status: ItemStatus,
): JsonObject {
  const { kind, callId, name, input } = call;
  return kind === "function"
    ? { id, type: "function_call", status, arguments: input, call_id: callId, name }
    : { id, type: "custom_tool_call", status, call_id: callId, input, name };
}

/** Chat's log probabilities in the form of an output text. */
export function logprobsOf(logprobs: readonly JsonObject[] = []): JsonObject[] {
  return logprobs.map((entry) => ({
    ...logprob(entry),
    top_logprobs: Array.isArray(entry.top_logprobs)
      ? entry.top_logprobs.filter(isObject).map(logprob)
      : [],
  }));
}

function logprob({ token, logprob, bytes }: JsonObject): JsonObject {
  return { token, logprob, bytes: Array.isArray(bytes) ? bytes : [] };
}
