/**
 * Usage as Google tells it: what is cached stands inside the prompt, thoughts and what tools of its own
 * have read stand beside.
 *
 * @module
 */

import { asArray, asObject, type JsonObject } from "../../domain/json_value.ts";
import { MOST_TERM_CHARACTERS, NO_TERMS, type Terms } from "../../domain/terms.ts";
import { completionTokens, promptTokens, type Work, workOfTokens } from "../../domain/work.ts";

/**
 * What was bought; `undefined` where there are no counts, or absurd ones.
 *
 * @param usage `usageMetadata`.
 * @param contextTokens Of the route: counts beyond it are absurd.
 */
export function readUsage(
  usage: Readonly<JsonObject>,
  contextTokens = Number.MAX_SAFE_INTEGER,
): Work | undefined {
  const counts = [
    usage.promptTokenCount,
    usage.cachedContentTokenCount,
    usage.candidatesTokenCount,
    usage.thoughtsTokenCount,
    usage.toolUsePromptTokenCount,
    usage.totalTokenCount,
  ];
  if (!counts.every(isCountOrMissing)) return undefined;
  // Some say at first only what serves.
  if (counts.every((count) => count === undefined || count === null)) return undefined;
  const [prompt, cached, written, thoughts, read, total] = counts.map((count) => count ?? 0) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  // Older versions of the API have thoughts inside what was written: the total tells.
  const isInside = thoughts > 0 && thoughts <= written && total === prompt + read + written;
  const inputAudio = tokensOf(usage.promptTokensDetails, "AUDIO") -
    tokensOf(usage.cacheTokensDetails, "AUDIO");
  const inputImage = tokensOf(usage.promptTokensDetails, "IMAGE") -
    tokensOf(usage.cacheTokensDetails, "IMAGE");
  const work = workOfTokens({
    promptTokens: prompt + read,
    completionTokens: isInside ? written : written + thoughts,
    cachedTokens: cached,
    reasoningTokens: thoughts,
  }, {
    inputAudio: Math.max(0, inputAudio),
    inputImage: Math.max(0, inputImage),
    outputAudio: tokensOf(usage.candidatesTokensDetails, "AUDIO"),
    outputImage: tokensOf(usage.candidatesTokensDetails, "IMAGE"),
  });
  const isAbsurd = promptTokens(work) > contextTokens || completionTokens(work) > contextTokens;
  return isAbsurd ? undefined : work;
}

/** Of one kind of content; 0 where no details are given. */
function tokensOf(details: unknown, modality: string): number {
  let tokens = 0;
  for (const detail of asArray(details)) {
    const { modality: kind, tokenCount } = asObject(detail) ?? {};
    if (kind === modality && isCount(tokenCount)) tokens += tokenCount;
  }
  return tokens;
}

/** What they call being served in the usual way, at either address. */
const USUAL: ReadonlySet<string> = new Set([
  "standard",
  "on_demand",
  "service_tier_unspecified",
  "traffic_type_unspecified",
]);

/** The tier that serves, by the names that callers have for it; `undefined` where none is told. */
export function termsOf({ serviceTier, trafficType }: Readonly<JsonObject>): Terms | undefined {
  const told = serviceTier ?? trafficType;
  if (typeof told !== "string") return undefined;
  const tier = told.toLowerCase();
  if (USUAL.has(tier) || tier.length > MOST_TERM_CHARACTERS) return NO_TERMS;
  return { serviceTier: tier.replace(/^on_demand_/, "") };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCountOrMissing(value: unknown): boolean {
  return value === undefined || value === null || isCount(value);
}
