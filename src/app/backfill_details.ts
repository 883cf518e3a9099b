/**
 * Adds calls of earlier versions to the detailed sums, beside everything else.
 *
 * @module
 */

import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Log } from "../telemetry/log.ts";
import { restAsLong } from "./jobs/rest_as_long.ts";

/** Calls that are added in one go: some milliseconds of the writer's time. */
const CALLS = 200;

/** What goes on in the background. */
export interface Backfill {
  /** Resolves once the last calls are written that were on their way. */
  stop(): Promise<void>;
}

/** Begins at once, and rests as long as it works; the next start goes on where this one ends. */
export function backfillDetails(
  commits: Pick<CommitQueue, "commit">,
  log: Pick<Log, "warn">,
  pause: () => Promise<void> = restAsLong(),
): Backfill {
  let isStopped = false;
  async function run(): Promise<void> {
    while (!isStopped) {
      const result = await commits.commit({ kind: "backfill_details", limit: CALLS });
      if (!result.ok) {
        if (!isStopped) log.warn("backfill_stopped", { message: result.message });
        return;
      }
      if (result.hasMore !== true) return;
      await pause();
    }
  }
  const done = run();
  return {
    stop() {
      isStopped = true;
      return done;
    },
  };
}
