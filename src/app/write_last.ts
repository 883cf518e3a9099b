/**
 * What a process writes when nothing is under way any more.
 *
 * @module
 */

import { waitAtMost } from "../domain/wait_at_most.ts";
import type { RefusalBook } from "../metering/refusal_book.ts";
import type { CommitQueue } from "../storage/ports/commit_queue.ts";
import type { Storage } from "../storage/ports/storage.ts";

/** What the last writes may wait for a database server, milliseconds. */
const LAST_WRITES_MS = 5_000;

/** Who has something to write still. */
export interface LastWriters {
  /** What shares limits and budgets with other nodes ends behind what is being written. */
  readonly shared?: { stop(): Promise<void> } | undefined;
  readonly sharedBudgets?: { stop(): Promise<void> } | undefined;
  readonly database: { stopReads(): Promise<void> };
  readonly refusals: Pick<RefusalBook, "close">;
  readonly commits: Pick<CommitQueue, "flush">;
  readonly storage: Pick<Storage, "writeSums">;
}

/**
 * Writes it. A server that is away may stay so, and is not waited for any longer: calls under way have had
 * their wait before, sums are made again of the ledger, and nobody was promised the rest.
 *
 * @param options `isOnServer`: whether the database is on one; a file is waited for as long as it takes.
 */
export async function writeLast(
  { shared, sharedBudgets, database, refusals, commits, storage }: LastWriters,
  { isOnServer, mostMs = LAST_WRITES_MS }: {
    readonly isOnServer: boolean;
    readonly mostMs?: number;
  },
): Promise<void> {
  const write = async () => {
    await Promise.all([shared?.stop(), sharedBudgets?.stop()]);
    await database.stopReads();
    await refusals.close();
    await commits.flush();
    await storage.writeSums();
  };
  await asFarAsAnswered(write(), { isOnServer, mostMs });
}

/** Waits for what is written at the end: of a database server so many milliseconds, of a file until it is. */
export async function asFarAsAnswered(
  work: Promise<unknown>,
  { isOnServer, mostMs }: { readonly isOnServer: boolean; readonly mostMs: number },
): Promise<void> {
  await (isOnServer ? waitAtMost(mostMs, work) : work);
}
