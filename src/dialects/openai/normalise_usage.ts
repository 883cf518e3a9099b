/**
 * The one normaliser of usage: vendors disagree on what counts inside what, and
 * client and ledger alike get what this makes of it, in OpenAI's meaning.
 *
 * @module
 */

import { completionTokens, promptTokens, type Work, workOfTokens } from "../../domain/work.ts";
import type { JsonObject } from "../../domain/json_value.ts";
import { detailsBody, readParts } from "./usage_parts.ts";
import { isObject } from "../../domain/json_value.ts";

/**
 * Where in an answer or chunk a usage object stood; a higher rank beats a lower
 * one: 1 `x_groq.usage` and its like, 2 `choices[].usage`, 3 the top level.
 */
export type UsageRank = 1 | 2 | 3;

/** A usage object as the upstream sent it. */
export interface FoundUsage {
  readonly raw: JsonObject;
  readonly rank: UsageRank;
}

/** What is known about a call that bounds its counts. */
export interface UsageBounds {
  /** The route's context; counts beyond it are absurd. */
  readonly contextTokens?: number | undefined;
  /** How many choices were asked for; each may fill the context. Default 1. */
  readonly choices?: number;
}

/** Usage for the ledger and for the wire. */
export interface NormalisedUsage {
  readonly usage: Work;
  /** The upstream's object with counts in OpenAI's meaning, other fields kept. */
  readonly body: JsonObject;
}

/**
 * Finds the usage object that counts: top level before `choices[].usage` before
 * `x_*.usage`. An object without a single known count does not count.
 */
export function findUsage(body: JsonObject): FoundUsage | undefined {
  if (hasCounts(body.usage)) return { raw: body.usage, rank: 3 };
  if (Array.isArray(body.choices)) {
    for (let at = body.choices.length - 1; at >= 0; at--) {
      const usage = isObject(body.choices[at]) ? body.choices[at].usage : undefined;
      if (hasCounts(usage)) return { raw: usage, rank: 2 };
    }
  }
  for (const field in body) {
    if (!field.startsWith("x_")) continue;
    const vendor = body[field];
    if (isObject(vendor) && hasCounts(vendor.usage)) {
      return { raw: vendor.usage, rank: 1 };
    }
  }
  return undefined;
}

/**
 * Brings counts into OpenAI's meaning: cached and cache-write tokens inside the
 * prompt, reasoning inside the completion. `undefined` when counts are missing
 * or absurd (negative, not an integer, beyond the route's context).
 *
 * - cached + cache-write > prompt: they stood outside; the prompt takes them in (xAI).
 * - Anthropic's names without OpenAI's: cache counts stand outside the input.
 * - total = prompt + completion + reasoning: reasoning stood outside (xAI).
 * - otherwise reasoning > completion: the completion is what the total says, and
 *   reasoning at most that (Kimi, off by one).
 */
export function normaliseUsage(
  raw: JsonObject,
  bounds: UsageBounds = {},
): NormalisedUsage | undefined {
  const counts = readCounts(raw);
  if (counts === undefined) return undefined;
  const { cached, cacheWrite, total } = counts;
  let { prompt, completion, reasoning } = counts;

  if (prompt === undefined && counts.cacheMiss !== undefined) prompt = cached + counts.cacheMiss;
  if (prompt === undefined && total !== undefined && completion !== undefined) {
    prompt = total - completion;
  }
  if (completion === undefined && total !== undefined && prompt !== undefined) {
    completion = total - prompt;
  }
  if (prompt === undefined || completion === undefined || prompt < 0 || completion < 0) {
    return undefined;
  }

  const promptAsSent = prompt;
  const isOutside = cached + cacheWrite > prompt ||
    (counts.isAnthropic && total !== prompt + completion);
  if (isOutside) prompt += cached + cacheWrite;

  const sum = prompt + completion;
  if (
    reasoning > 0 && total !== undefined && total !== sum && total !== promptAsSent + completion
  ) {
    if (total === sum + reasoning || total === promptAsSent + completion + reasoning) {
      completion += reasoning;
    }
  }
  if (reasoning > completion) {
    completion = Math.max(completion, (total ?? 0) - prompt);
    reasoning = Math.min(reasoning, completion);
  }

  if (isBeyond(prompt, completion, bounds)) return undefined;
  const usage = workOfTokens({
    promptTokens: prompt,
    completionTokens: completion,
    cachedTokens: cached,
    cacheWriteTokens: cacheWrite - counts.cacheWrite1h,
    reasoningTokens: reasoning,
  }, counts.parts);
  return { usage, body: usageBody(usage, raw) };
}

/** Usage as an object on the wire; fields of `raw` that it does not set are kept. */
export function usageBody(work: Work, raw: JsonObject = {}): JsonObject {
  const prompt = promptTokens(work);
  const completion = completionTokens(work);
  return {
    ...raw,
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: detailsBody(work, "prompt", raw.prompt_tokens_details),
    completion_tokens_details: detailsBody(work, "completion", raw.completion_tokens_details),
  };
}

interface Counts {
  readonly prompt: number | undefined;
  readonly completion: number | undefined;
  readonly total: number | undefined;
  readonly cached: number;
  readonly cacheMiss: number | undefined;
  /** Both kinds of it. */
  readonly cacheWrite: number;
  readonly cacheWrite1h: number;
  readonly reasoning: number;
  /** Further parts of the prompt and of the completion. */
  readonly parts: Work | undefined;
  readonly isAnthropic: boolean;
}

const MAIN_NAMES = [
  "prompt_tokens",
  "input_tokens",
  "completion_tokens",
  "output_tokens",
  "total_tokens",
  "prompt_cache_miss_tokens",
];

function hasCounts(value: unknown): value is JsonObject {
  if (!isObject(value)) return false;
  return MAIN_NAMES.some((name) => value[name] !== undefined && value[name] !== null);
}

/** @returns `undefined` when any of the known counts is absurd. */
function readCounts(raw: JsonObject): Counts | undefined {
  const prompts = detailsOf(raw, "prompt_tokens_details", "input_tokens_details");
  const completions = detailsOf(raw, "completion_tokens_details", "output_tokens_details");
  const prompt = first(raw.prompt_tokens, raw.input_tokens);
  const completion = first(raw.completion_tokens, raw.output_tokens);
  const total = first(raw.total_tokens);
  const cached = first(
    prompts?.cached_tokens,
    raw.cached_tokens,
    raw.prompt_cache_hit_tokens,
    raw.cache_read_input_tokens,
    prompts?.cache_read_input_tokens,
  );
  const cacheMiss = first(raw.prompt_cache_miss_tokens);
  const cacheWrite = first(
    prompts?.cache_write_tokens,
    prompts?.cache_creation_tokens,
    prompts?.cache_creation_input_tokens,
    raw.cache_write_tokens,
    raw.cache_creation_input_tokens,
  );
  const reasoning = first(completions?.reasoning_tokens, raw.reasoning_tokens);
  const cacheWrite1h = first(
    detailsOf(raw, "cache_creation")?.ephemeral_1h_input_tokens,
    detailsOf(prompts ?? {}, "cache_creation")?.ephemeral_1h_input_tokens,
  );
  const all = [prompt, completion, total, cached, cacheMiss, cacheWrite, reasoning, cacheWrite1h];
  if (!all.every(isCountOrMissing)) return undefined;
  const [p, c, t, hit, miss, write, r, long = 0] = all as (number | undefined)[];
  return {
    prompt: p,
    completion: c,
    total: t,
    cached: hit ?? 0,
    cacheMiss: miss,
    cacheWrite: Math.max(write ?? 0, long),
    cacheWrite1h: long,
    reasoning: r ?? 0,
    parts: readParts({ prompt: prompts, completion: completions }, long),
    isAnthropic: raw.prompt_tokens === undefined && prompts === undefined &&
      (raw.cache_read_input_tokens !== undefined || raw.cache_creation_input_tokens !== undefined),
  };
}

function detailsOf(raw: JsonObject, ...names: readonly string[]): JsonObject | undefined {
  for (const name of names) {
    const details = raw[name];
    if (isObject(details)) return details;
  }
  return undefined;
}

/** The first value that is there: null and missing are alike. */
function first(...values: readonly unknown[]): unknown {
  for (const value of values) if (value !== undefined && value !== null) return value;
  return undefined;
}

function isCountOrMissing(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0);
}

function isBeyond(prompt: number, completion: number, bounds: UsageBounds): boolean {
  if (!Number.isSafeInteger(prompt + completion)) return true;
  const { contextTokens, choices = 1 } = bounds;
  if (contextTokens === undefined) return false;
  return prompt > contextTokens || completion > contextTokens * choices;
}
