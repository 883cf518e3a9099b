/**
 * Why an answer ends, in this dialect's words and in those that vendors have for it in its place.
 *
 * @module
 */

import type { FinishReason } from "../turns/answer_sink.ts";

/** Whatever case they are in; any other is a proper end. */
const REASONS: ReadonlyMap<string, FinishReason> = new Map([
  ["length", "length"],
  ["max_tokens", "length"],
  ["max_output_tokens", "length"],
  ["model_length", "length"],
  ["content_filter", "filter"],
  ["safety", "filter"],
  ["recitation", "filter"],
  ["tool_calls", "calls"],
  ["tool_use", "calls"],
  ["function_call", "calls"],
]);

/** Reasons that are failures (OpenRouter, DeepSeek). */
const FAILED: ReadonlySet<string> = new Set(["error", "insufficient_system_resource"]);

/** The words that callers know. */
export const FINISH_WORDS: { readonly [reason in FinishReason]: string } = {
  done: "stop",
  calls: "tool_calls",
  length: "length",
  filter: "content_filter",
};
const KNOWN: ReadonlySet<string> = new Set([...Object.values(FINISH_WORDS), "function_call"]);

/** What a word means; `failed` where the answer is none. */
export function reasonOf(word: unknown): FinishReason | "failed" {
  const lower = String(word).toLowerCase();
  return FAILED.has(lower) ? "failed" : REASONS.get(lower) ?? "done";
}

/**
 * The same in a word that callers know; `undefined` where the answer is none.
 *
 * @param hasCalls Whether it calls tools, which some call the usual end.
 */
export function finishWord(word: string, hasCalls: boolean): string | undefined {
  if (word === "stop") return hasCalls ? FINISH_WORDS.calls : word;
  if (KNOWN.has(word)) return word;
  const reason = reasonOf(word);
  if (reason === "failed") return undefined;
  return FINISH_WORDS[reason === "done" && hasCalls ? "calls" : reason];
}
