/**
 * How an answer ended, in the words of the Responses API.
 *
 * @module
 */

import type { JsonObject } from "../../domain/json_value.ts";
import { UpstreamError } from "../../domain/upstream_error.ts";

/** The end of a response. */
export interface ResponseEnd {
  readonly status: "completed" | "incomplete";
  readonly incompleteDetails: { readonly reason: string } | null;
}

const COMPLETED: ResponseEnd = { status: "completed", incompleteDetails: null };

/** Reasons for which an answer is cut; vendors have their own words for the length. */
const CUT: ReadonlyMap<unknown, string> = new Map([
  ["length", "max_output_tokens"],
  ["max_tokens", "max_output_tokens"],
  ["model_length", "max_output_tokens"],
  ["content_filter", "content_filter"],
]);

/** Reasons that are failures (OpenRouter, DeepSeek): no status of a Response is true of them but `failed`. */
const FAILED: ReadonlySet<unknown> = new Set(["error", "insufficient_system_resource"]);

/**
 * Reads a `finish_reason`; one that is not known is a proper end.
 *
 * @throws {UpstreamError} `broken`, when the upstream says that it failed.
 */
export function responseEnd(finishReason: unknown): ResponseEnd {
  if (FAILED.has(finishReason)) {
    throw new UpstreamError("broken", `The upstream gave up its answer: '${finishReason}'`);
  }
  const reason = CUT.get(finishReason);
  return reason === undefined ? COMPLETED : { status: "incomplete", incompleteDetails: { reason } };
}

/** Puts the end into a Response object, in place. */
export function endResponse(
  response: JsonObject,
  { status, incompleteDetails }: ResponseEnd,
  nowSeconds: number,
): void {
  response.status = status;
  response.incomplete_details = incompleteDetails;
  // As OpenAI has it: only what is complete has a time of completion.
  response.completed_at = status === "completed" ? nowSeconds : null;
}
