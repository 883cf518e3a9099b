/**
 * Deletes calls that are older than they are kept, out of a ledger whose seals say what they came to.
 *
 * @module
 */

import type { BookPlace } from "../../domain/book.ts";
import type { LedgerSeals } from "../../storage/ports/seals.ts";
import { fittingSeal } from "./seal_documents.ts";

/** Ledger rows looked at in one go, with their calls: some milliseconds of the server's time. */
const AT_ONCE = 200;

/** What is deleted, and how. */
export interface DropOptions {
  readonly seals: LedgerSeals;
  /** Milliseconds since the epoch: every row of a run that is dropped is of an earlier time. */
  readonly beforeMs: number;
  /** Awaited between two times; rejects when there is no time for more. */
  readonly pause: () => Promise<void>;
  /** Rows of the ledger looked at in one go. Default: 200. */
  readonly atOnce?: number;
}

/** What became of it. */
export interface Dropped {
  /** Calls that were deleted, but for those that stay for their films' sake. */
  readonly calls: number;
  /** Why the rest stays; `undefined` where there is none. */
  readonly trouble: string | undefined;
}

/**
 * Drops run after run, each only while it is as it was sealed: what was altered is not swept away, nor
 * is what follows it in its book.
 */
export async function dropOldCalls(
  { seals, beforeMs, pause, atOnce = AT_ONCE }: DropOptions,
): Promise<Dropped> {
  let calls = 0;
  let trouble: string | undefined;
  let after: BookPlace | undefined;
  for (;;) {
    const run = await seals.dropped.next(beforeMs, after);
    if (run === undefined) return { calls, trouble };
    const { book, afterSeq } = run;
    if (await fittingSeal(seals, run) === undefined) {
      trouble ??= `calls are not deleted: ledger_seals ${book}/${afterSeq} does not fit its rows`;
      after = { book, seq: Number.MAX_SAFE_INTEGER };
      continue;
    }
    calls += await seals.dropped.drop(run, { atOnce, pause });
    after = { book, seq: afterSeq };
  }
}
