/**
 * Usage as Anthropic tells it: the parts of a prompt stand beside each other, thoughts inside the
 * output.
 *
 * @module
 */

import { asArray, asObject, type JsonObject } from "../../domain/json_value.ts";
import { CONDITIONS, MOST_TERM_CHARACTERS, NO_TERMS, type Terms } from "../../domain/terms.ts";
import { addWork, completionTokens, promptTokens, type Work } from "../../domain/work.ts";

/** Where a usage says no more than one before it: `null` and missing are alike. */
export function mergeUsage(before: JsonObject, more: Readonly<JsonObject>): JsonObject {
  const merged = { ...before };
  for (const field in more) {
    if (more[field] !== null && more[field] !== undefined) merged[field] = more[field];
  }
  return merged;
}

/**
 * What was bought; `undefined` where there are no counts, or absurd ones.
 *
 * @param contextTokens Of the route: counts beyond it are absurd.
 */
export function readUsage(
  usage: Readonly<JsonObject>,
  contextTokens = Number.MAX_SAFE_INTEGER,
): Work | undefined {
  let work = readCounts(usage);
  for (const round of asArray(usage.iterations)) {
    const one = asObject(round);
    // What else an answer took is in its own counts. Advice of another model has no rate of its own here.
    if (work === undefined || !BESIDE.has(one?.type)) continue;
    const more = readCounts(one!);
    work = more && addWork(work, more);
  }
  if (work === undefined) return undefined;
  const isAbsurd = promptTokens(work) > contextTokens || completionTokens(work) > contextTokens;
  return isAbsurd ? undefined : work;
}

/** Rounds that are not in the counts of the answer. */
const BESIDE: ReadonlySet<unknown> = new Set(["compaction", "advisor_message"]);

function readCounts(usage: Readonly<JsonObject>): Work | undefined {
  const creation = asObject(usage.cache_creation) ?? {};
  const counts = [
    usage.input_tokens,
    usage.output_tokens,
    usage.cache_read_input_tokens,
    usage.cache_creation_input_tokens,
    creation.ephemeral_5m_input_tokens,
    creation.ephemeral_1h_input_tokens,
    asObject(usage.output_tokens_details)?.thinking_tokens,
    asObject(usage.server_tool_use)?.web_search_requests,
  ].map((count) => count ?? undefined);
  if (!counts.every(isCountOrMissing)) return undefined;
  const [input, output, read = 0, total = 0, short = 0, long = 0, thoughts = 0, search = 0] =
    counts as (
      | number
      | undefined
    )[];
  if (input === undefined || output === undefined) return undefined;
  // The sum may rise in a stream without a new division: what is beyond the longer part is short.
  const cacheWrite = Math.max(total, short + long) - long;
  const reasoning = Math.min(thoughts, output);
  return {
    input,
    output: output - reasoning,
    ...(read > 0 && { cachedInput: read }),
    ...(cacheWrite > 0 && { cacheWrite }),
    ...(long > 0 && { cacheWrite1h: long }),
    ...(reasoning > 0 && { reasoning }),
    ...(search > 0 && { search }),
  };
}

/** Counts of ours, or of another dialect's upstream, as Anthropic writes them. */
export function usageBody(work: Work): JsonObject {
  const { cachedInput = 0, cacheWrite = 0, cacheWrite1h = 0, reasoning = 0, search = 0 } = work;
  return {
    input_tokens: promptTokens(work) - cachedInput - cacheWrite - cacheWrite1h,
    cache_creation_input_tokens: cacheWrite + cacheWrite1h,
    cache_read_input_tokens: cachedInput,
    cache_creation: {
      ephemeral_5m_input_tokens: cacheWrite,
      ephemeral_1h_input_tokens: cacheWrite1h,
    },
    output_tokens: completionTokens(work),
    output_tokens_details: { thinking_tokens: reasoning },
    server_tool_use: search === 0 ? null : { web_search_requests: search, web_fetch_requests: 0 },
    service_tier: null,
  };
}

/** Conditions of a price that a usage tells of, and a request asks for, by their names in both. */
const TOLD = (["serviceTier", "speed", "inferenceGeo"] as const).map((name) => {
  const { wire, usual } = CONDITIONS[name];
  return { name, wire, usual: new Set<unknown>(usual) };
});
/** The same as none, in words of this dialect alone. */
const USUAL_TIERS: ReadonlySet<unknown> = new Set(["standard", "standard_only"]);

/** What a request or a usage says of what prices may depend on; `undefined` where it says nothing. */
export function termsOf(said: Readonly<JsonObject>): Terms | undefined {
  let terms: Terms | undefined;
  for (const { name, wire, usual } of TOLD) {
    const value = said[wire];
    if (typeof value !== "string") continue;
    terms ??= NO_TERMS;
    const isUsual = usual.has(value) || (name === "serviceTier" && USUAL_TIERS.has(value));
    if (!isUsual && value.length <= MOST_TERM_CHARACTERS) terms = { ...terms, [name]: value };
  }
  return terms;
}

function isCountOrMissing(value: unknown): boolean {
  return value === undefined || (Number.isSafeInteger(value) && (value as number) >= 0);
}
