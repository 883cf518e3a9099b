/**
 * The port of the sole writer.
 *
 * @module
 */

import type { Entry, EntryResult } from "./entry.ts";

/**
 * Batches entries into synced transactions, in the order they were given as far as that matters:
 * a hold may be written later than it was given, and an answer that is kept behind what came
 * after it and takes no money that its call gives back.
 */
export interface CommitQueue {
  /** Writes soon; resolves when the entry is synced (or refused). Never rejects. */
  commit(entry: Entry): Promise<EntryResult>;
  /**
   * {@linkcode CommitQueue.commit} for whoever needs no promise: `done` is called once, never
   * before this returns, and must not throw.
   */
  commitThen(entry: Entry, done: (result: EntryResult) => void): void;
  /**
   * Writes with the next batch, at the latest after a few milliseconds, and
   * reports a refusal to `onRefused`: for holds, which nobody waits for.
   */
  enqueue(entry: Entry, onRefused?: (result: EntryResult) => void): void;
  /** Whether the queue takes no more entries for now (bounded). */
  readonly full: boolean;
  /** Entries waiting or being written. */
  readonly pending: number;
  /** Resolves when everything given so far is synced. */
  flush(): Promise<void>;
}
