/**
 * Counts of tokens as vendors tell them: parts inside of their wholes.
 *
 * @module
 */

import {
  completionTokens,
  type NestedTokens,
  promptTokens,
  type Work,
} from "../../src/domain/work.ts";

/** The counts of buckets that do not stand inside each other. */
export function nested(work: Work): Required<NestedTokens>;
export function nested(work: Work | undefined): Required<NestedTokens> | undefined;
export function nested(work: Work | undefined): Required<NestedTokens> | undefined {
  return work === undefined ? undefined : {
    promptTokens: promptTokens(work),
    completionTokens: completionTokens(work),
    cachedTokens: work.cachedInput ?? 0,
    cacheWriteTokens: work.cacheWrite ?? 0,
    reasoningTokens: work.reasoning ?? 0,
  };
}
