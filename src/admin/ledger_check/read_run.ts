/**
 * Reads rows of a book with the calls that they belong to, and checks both.
 *
 * @module
 */

import type { LedgerRow } from "../../domain/call.ts";
import type { StoredCall } from "../../domain/call.ts";
import type { LedgerRun } from "../../storage/ports/ledger_run.ts";
import type { LedgerSeals } from "../../storage/ports/seals.ts";
import type { CallPass } from "./call_pass.ts";
import type { RowReading } from "./check_rows.ts";
import type { LedgerPass } from "./ledger_pass.ts";

/** Who reads, and how. */
export interface RunReading extends RowReading {
  readonly seals: Pick<LedgerSeals, "read">;
  readonly ledger: LedgerPass;
  readonly calls: CallPass;
  /** Told of what was read. */
  readonly onRead?: (rows: readonly LedgerRow[], calls: readonly StoredCall[]) => void;
}

/** Checks each row of a run, which follows the last row of its book that was taken. */
export async function readRun(run: LedgerRun, reading: RunReading): Promise<void> {
  const { seals, ledger, calls, differences, slice, pause, onRows, onRead } = reading;
  for (let { afterSeq } = run; afterSeq < run.throughSeq;) {
    const read = await seals.read({ ...run, afterSeq }, slice);
    await ledger.take(read.rows, new Map(read.calls.map((call) => [call.callId, call])));
    await calls.take(read.calls);
    noteAltered(read.altered, differences);
    onRead?.(read.rows, read.calls);
    onRows?.(read.rows.length);
    if (read.rows.length < slice) return;
    afterSeq = read.rows.at(-1)!.seq;
    await pause();
  }
}

/** Notes rows whose checksum does not fit. */
export function noteAltered(
  altered: Awaited<ReturnType<LedgerSeals["read"]>>["altered"],
  differences: RowReading["differences"],
): void {
  for (const { table, id } of altered) {
    differences.note(
      [table as "ledger" | "calls", id],
      "the row was altered: its checksum does not fit its columns",
    );
  }
}
