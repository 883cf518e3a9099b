/**
 * Usage of answers for which nothing is written: all that counts is what was read.
 *
 * @module
 */

import { promptTokens, type Work } from "../../domain/work.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { findUsage, normaliseUsage, type UsageBounds } from "./normalise_usage.ts";

/** Counts, and the upstream's own usage object. */
export interface PromptUsage {
  /** `undefined` when nothing was reported, or absurd counts. */
  readonly usage: Work | undefined;
  readonly rawUsage?: JsonObject | undefined;
}

/**
 * Servers that count only the total are taken at their word. No input is empty, so a count of
 * nothing is none.
 */
export function readPromptUsage(body: JsonObject, bounds: UsageBounds): PromptUsage {
  const raw = findUsage(body)?.raw;
  if (raw === undefined) return { usage: undefined };
  const { completion_tokens: _written, completion_tokens_details: _details, ...rawUsage } = raw;
  const { prompt_tokens: prompt, total_tokens: total } = raw;
  const usage = normaliseUsage(
    { ...rawUsage, prompt_tokens: prompt || total, completion_tokens: 0 },
    bounds,
  )?.usage;
  return usage === undefined || promptTokens(usage) === 0
    ? { usage: undefined }
    : { usage, rawUsage };
}

/** The object on the wire; fields of `raw` that it does not set are kept. */
export function promptUsageBody(work: Work, raw: JsonObject = {}): JsonObject {
  const prompt = promptTokens(work);
  return { ...raw, prompt_tokens: prompt, total_tokens: prompt };
}
