/**
 * Usage as Bedrock tells it: what is cached stands beside the input, as with Anthropic.
 *
 * @module
 */

import { asArray, asObject, type JsonObject, nonEmptyString } from "../../domain/json_value.ts";
import { MOST_TERM_CHARACTERS, NO_TERMS, type Terms } from "../../domain/terms.ts";
import { completionTokens, promptTokens, type Work } from "../../domain/work.ts";

/**
 * What was bought; `undefined` where there are no counts, or absurd ones.
 *
 * @param contextTokens Of the route: counts beyond it are absurd.
 */
export function readUsage(
  usage: Readonly<JsonObject>,
  contextTokens = Number.MAX_SAFE_INTEGER,
): Work | undefined {
  const counts = [
    usage.inputTokens,
    usage.outputTokens,
    usage.cacheReadInputTokens ?? 0,
    usage.cacheWriteInputTokens ?? 0,
  ];
  if (!counts.every(isCount)) return undefined;
  const [input, output, read, written] = counts as [number, number, number, number];
  let long = 0;
  for (const detail of asArray(usage.cacheDetails)) {
    const { ttl, inputTokens } = asObject(detail) ?? {};
    // `1h`, or `T1H`.
    if (/1h$/i.test(String(ttl)) && isCount(inputTokens)) long += inputTokens;
  }
  long = Math.min(long, written);
  const work: Work = {
    input,
    output,
    ...(read > 0 && { cachedInput: read }),
    ...(written > long && { cacheWrite: written - long }),
    ...(long > 0 && { cacheWrite1h: long }),
  };
  const isAbsurd = promptTokens(work) > contextTokens || completionTokens(work) > contextTokens;
  return isAbsurd ? undefined : work;
}

/** The tier that serves; `undefined` where none is told. */
export function termsOf({ serviceTier }: Readonly<JsonObject>): Terms | undefined {
  const tier = nonEmptyString(asObject(serviceTier)?.type);
  if (tier === undefined) return undefined;
  const isUsual = tier === "default" || tier === "standard" || tier.length > MOST_TERM_CHARACTERS;
  return isUsual ? NO_TERMS : { serviceTier: tier };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
