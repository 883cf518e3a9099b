/**
 * Puts the rows of an archive of sealed runs back into the database that they were dropped from.
 *
 * @module
 */

import type { KnownArchive } from "../../admin/base/archive_report.ts";
import type { BookPlace } from "../../domain/book.ts";
import { GatewayError } from "../../errors.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import type { RunArchiveFile } from "../../storage/ports/run_archives.ts";
import type { LedgerSeals } from "../../storage/ports/seals.ts";

/** Rows of the ledger that are put back in one go, with their calls. */
const ROWS_AT_ONCE = 100;

/** From where to where, and who follows it. */
export interface RestoreOptions {
  /** The archive's file, which was proved. */
  readonly file: RunArchiveFile;
  readonly seals: LedgerSeals;
  /** Awaited between two times; rejects when there is no time for more. */
  readonly pause: () => Promise<void>;
  /** Hears how many rows there are again; throws where it is wanted no more. */
  readonly onRows: (rows: number) => void;
}

/**
 * Restores run after run, each proved before it counts as one that has its rows; broken off anywhere it
 * may be asked for again. Gives how many rows of the ledger the runs have.
 *
 * @throws {GatewayError} `conflict` where the rows of a run are not those that were archived.
 */
export async function restoreRuns(
  { number }: Pick<KnownArchive, "number">,
  { file, seals, pause, onRows }: RestoreOptions,
): Promise<number> {
  const { archives } = seals;
  let after: BookPlace | undefined;
  let rows = 0;
  for (let run; (run = await archives.nextToRestore(number, after)) !== undefined;) {
    rows += await restoreRows(run, (more) => onRows(rows + more));
    if (await seals.digest(run) !== await file.digest(run, pause)) {
      throw new GatewayError(
        "conflict",
        `Run ${run.book}/${run.afterSeq} of archive ${number} is not restored: what the database had ` +
          "kept of it is not what was archived, or its prices are not. tollgate ledger verify says more",
      );
    }
    await archives.restored(run);
    after = { book: run.book, seq: run.afterSeq };
  }
  await archives.forget(number);
  return rows;

  async function restoreRows(
    { book, ...run }: LedgerRun,
    onDone: (rows: number) => void,
  ): Promise<number> {
    let done = 0;
    for (let { afterSeq } = run;;) {
      const { throughSeq, ledger, calls } = file.readRaw({ ...run, book, afterSeq }, ROWS_AT_ONCE);
      if (throughSeq === undefined) return done;
      await archives.putBack(book, { ledger, calls });
      afterSeq = throughSeq;
      done += ledger.length;
      onDone(done);
      await pause();
    }
  }
}
