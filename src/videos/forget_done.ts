/**
 * Forgets the answers and messages that nobody needs any more. What callers wrote
 * stays no longer than it is of use.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";

/** What forgetting needs. */
export interface ForgetDoneOptions {
  readonly commits: Pick<CommitQueue, "commit">;
  readonly clock: Pick<Clock, "now">;
  /** Ends it between two steps. */
  readonly signal: AbortSignal;
}

/** Messages that were delivered or given up are kept for the operator to see. */
const MESSAGES_KEPT_MS = 7 * 86_400_000;

/**
 * Forgets answers that have expired and messages done a week ago, in steps that
 * keep no other write waiting for long, until none is left.
 *
 * @throws {Error} When storage refuses a step; the next call goes on.
 */
export async function forgetDone({ commits, clock, signal }: ForgetDoneOptions): Promise<void> {
  while (!signal.aborted) {
    const now = clock.now();
    const result = await commits.commit({
      kind: "forget",
      answersExpiredAt: now,
      messagesDoneBefore: now - MESSAGES_KEPT_MS,
    });
    if (!result.ok) throw new Error(`Cannot forget what is done: ${result.message}`);
    if (result.hasMore !== true) return;
  }
}
