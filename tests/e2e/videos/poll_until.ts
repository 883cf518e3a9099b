/**
 * Asks again and again until something is there.
 *
 * @module
 */

import assert from "node:assert/strict";

/** Between two questions: short enough to cost no time, long enough to leave the processor alone. */
const PAUSE_MS = 50;
/** Characters of the last value, from its end, in the error. */
const MOST_SHOWN = 2_000;

/**
 * Resolves with the first value that is there.
 *
 * @throws {AssertionError} When none was within the limit, which only guards against waiting for ever.
 */
export async function pollUntil<T>({ what, withinMs = 30_000, read, isThere }: {
  /** Named when it does not come. */
  readonly what: string;
  readonly withinMs?: number;
  readonly read: () => Promise<T> | T;
  readonly isThere: (value: T) => boolean;
}): Promise<T> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
    assert.ok(
      performance.now() < deadline,
      `${what} did not come within ${withinMs} ms: ${JSON.stringify(value)?.slice(-MOST_SHOWN)}`,
    );
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
