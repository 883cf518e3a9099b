/**
 * A commit queue without a queue, for what shows how others take its answers.
 *
 * @module
 */

import type { CommitQueue } from "../../src/storage/ports/commit_queue.ts";
import type { Entry, EntryResult } from "../../src/storage/ports/entry.ts";

/** Answers what is committed by a function; holds and moves that nobody waits for are lost. */
export function commitsBy(commit: (entry: Entry) => Promise<EntryResult>): CommitQueue {
  return {
    commit,
    commitThen: (entry, done) => void commit(entry).then(done),
    enqueue() {},
    flush: () => Promise.resolve(),
    full: false,
    pending: 0,
  };
}
