/**
 * How long storage takes to write.
 *
 * @module
 */

import { systemClock } from "../domain/clock.ts";
import type { CommitQueueOptions } from "../storage/commit_queue.ts";
import type { OpenDatabase } from "./database/driver.ts";

/**
 * Writes batches; whoever wants to know hears how many milliseconds each took, and of how many entries
 * it was, once it is written or could not be.
 */
export function timedWrites(
  storage: OpenDatabase["storage"],
  onCommit: ((milliseconds: number, entries: number) => void) | undefined,
): CommitQueueOptions["write"] {
  if (onCommit === undefined) return (batch) => storage.commitBatch(batch);
  return async (batch) => {
    const begun = systemClock.monotonic();
    try {
      return await storage.commitBatch(batch);
    } finally {
      onCommit(systemClock.monotonic() - begun, batch.length);
    }
  };
}
