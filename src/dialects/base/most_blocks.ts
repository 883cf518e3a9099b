/**
 * How many parts an answer may have: each one that is begun is kept until it ends, and an upstream may
 * begin them without end.
 *
 * @module
 */

import { UpstreamError } from "../../domain/upstream_error.ts";

/** Texts, thoughts and calls of one answer together. */
export const MOST_BLOCKS = 2_000;

/** @throws {UpstreamError} `broken` when an answer has more. */
export function checkBlocks(count: number): void {
  if (count <= MOST_BLOCKS) return;
  throw new UpstreamError("broken", "The upstream's answer has more parts than any answer");
}
