/**
 * Why an answer ends, in this dialect's words.
 *
 * @module
 */

import type { FinishReason } from "../turns/answer_sink.ts";

const REASONS: ReadonlyMap<unknown, FinishReason> = new Map([
  ["STOP", "done"],
  ["MAX_TOKENS", "length"],
  // A request's share of a long answer is written.
  ["CONTINUATION", "length"],
  ["SAFETY", "filter"],
  ["RECITATION", "filter"],
  ["LANGUAGE", "filter"],
  ["BLOCKLIST", "filter"],
  ["PROHIBITED_CONTENT", "filter"],
  ["SPII", "filter"],
  ["MODEL_ARMOR", "filter"],
  ["IMAGE_SAFETY", "filter"],
  ["IMAGE_PROHIBITED_CONTENT", "filter"],
  ["IMAGE_RECITATION", "filter"],
]);

/** Answers that are none: the model wrote something that is no call. */
const FAILED: ReadonlySet<unknown> = new Set([
  "MALFORMED_FUNCTION_CALL",
  "UNEXPECTED_TOOL_CALL",
  "TOO_MANY_TOOL_CALLS",
  "MISSING_THOUGHT_SIGNATURE",
  "MALFORMED_RESPONSE",
]);

/** What a word means; one that says nothing is a proper end of an answer that is there. */
export function reasonOf(word: unknown, hasOutput: boolean): FinishReason | "failed" {
  if (FAILED.has(word)) return "failed";
  return REASONS.get(word) ?? (hasOutput ? "done" : "failed");
}
