/**
 * Deletes calls that are older than they are kept, out of a ledger whose seals say what they came to.
 *
 * @module
 */

import type { LedgerSeals } from "../../storage/ports/seals.ts";
import { readSeal } from "./seal_documents.ts";

/** What is deleted, and how. */
export interface DropOptions {
  readonly seals: LedgerSeals;
  /** Milliseconds since the epoch: every row of a run that is dropped is of an earlier time. */
  readonly beforeMs: number;
  /** Awaited between two times; rejects when there is no time for more. */
  readonly pause: () => Promise<void>;
}

/** What became of it. */
export interface Dropped {
  /** Calls that were deleted, but for those that stay for their films' sake. */
  readonly calls: number;
  /** Why the rest stays; `undefined` where there is none. */
  readonly trouble: string | undefined;
}

/** Drops run after run, each only while it is as it was sealed: what was altered is not swept away. */
export async function dropOldCalls({ seals, beforeMs, pause }: DropOptions): Promise<Dropped> {
  let calls = 0;
  for (;;) {
    const run = await seals.dropped.next(beforeMs);
    if (run === undefined) return { calls, trouble: undefined };
    const { book, afterSeq } = run;
    const [seal] = await seals.list({ book, seq: afterSeq - 1 }, 1);
    const intact = seal && readSeal(seal);
    const isAsSealed = intact !== undefined &&
      (intact.isDropped || await seals.digest(run) === intact.document.digest);
    if (!isAsSealed) {
      const trouble =
        `calls are not deleted: ledger_seals ${book}/${afterSeq} does not fit its rows`;
      return { calls, trouble };
    }
    calls += await seals.dropped.drop(run, pause);
  }
}
