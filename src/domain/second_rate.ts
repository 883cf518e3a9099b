/**
 * What a second of video is priced at.
 *
 * @module
 */

import type { RateE8 } from "./money.ts";
import type { Rates } from "./price.ts";

/**
 * The rate per second of a size; `undefined` when there is none, which is not 0.
 * Sizes that callers make up ("constructor") find nothing.
 */
export function secondRate({ second }: Rates, size: string): RateE8 | undefined {
  if (second === undefined || typeof second === "bigint") return second;
  return Object.hasOwn(second, size) ? second[size] : undefined;
}
