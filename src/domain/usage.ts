/**
 * Usage of one call in OpenAI's meaning: cached and cache-write tokens are part
 * of the prompt tokens, reasoning tokens part of the completion tokens.
 *
 * @module
 */

/** Token counts of one call; every count is a non-negative integer. */
export interface Usage {
  readonly promptTokens: number;
  readonly completionTokens: number;
  /** Of `promptTokens`, those read from the upstream's prompt cache. */
  readonly cachedTokens: number;
  /** Of `promptTokens`, those written to the upstream's prompt cache. */
  readonly cacheWriteTokens: number;
  /** Of `completionTokens`, those spent on reasoning. */
  readonly reasoningTokens: number;
}

/** Where the counts come from: the upstream, our tokenizer, or no work was done. */
export type UsageSource = "reported" | "estimated" | "none";

/** No tokens at all: what a released call has used. */
export const NO_USAGE: Usage = Object.freeze({
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  reasoningTokens: 0,
});
