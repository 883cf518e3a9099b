/**
 * Long work beside calls, which come first.
 *
 * @module
 */

import { delay } from "../../gateway/delay.ts";

/**
 * Makes a pause that is as long as the work since the one before: it takes half a processor at most.
 *
 * @param signal Whoever rests is woken by it, and does no more: the pause rejects with its reason.
 */
export function restAsLong(
  signal: AbortSignal = new AbortController().signal,
): () => Promise<void> {
  let begun = performance.now();
  return async () => {
    await delay(performance.now() - begun, signal);
    signal.throwIfAborted();
    begun = performance.now();
  };
}
