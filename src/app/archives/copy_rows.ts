/**
 * Copies the rows of an archive: ledger rows, their calls, and the prices of those.
 *
 * @module
 */

import type { ArchiveProgress } from "../../admin/archives/archive_report.ts";
import {
  type ArchiveRange,
  type ArchiveSource,
  priceVersionOf,
} from "../../storage/sqlite/archive_source.ts";
import { ArchiveWriter } from "../../storage/sqlite/archive_writer.ts";

/** Which rows go where. */
export interface CopyRowsOptions {
  readonly range: ArchiveRange;
  /** A path that nothing has yet. */
  readonly part: string;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
  readonly onProgress: (progress: ArchiveProgress) => void;
}

const SLICE = 500;

/** Copies them all; `part` may then be there in part if that fails. */
export async function copyRows(
  source: ArchiveSource,
  { range: { fromSeq, toSeq }, part, pause, onProgress }: CopyRowsOptions,
): Promise<void> {
  using writer = new ArchiveWriter(part, source.columnTypes());
  const prices = new Set<number>();
  let last = fromSeq - 1;
  // A call has a settle or a release, and perhaps a loss, which comes next.
  let lastCallId: number | undefined;
  while (last < toSeq) {
    const rows = source.ledgerRows(last, toSeq, SLICE);
    if (rows.length === 0) break;
    writer.add("ledger", rows.map(({ values }) => values));
    const calls = rows.flatMap(({ callId }) => {
      if (callId === undefined || callId === lastCallId) return [];
      lastCallId = callId;
      const call = source.row("calls", callId);
      return call === undefined ? [] : [call];
    });
    writer.add("calls", calls);
    for (const call of calls) prices.add(priceVersionOf(call));
    last = rows.at(-1)!.seq;
    onProgress({ step: "copying", done: last - fromSeq + 1, of: toSeq - fromSeq + 1 });
    await pause();
  }
  const versions = [...prices].sort((a, b) => a - b);
  writer.add(
    "price_versions",
    versions.flatMap((version) => {
      const row = source.row("price_versions", version);
      return row === undefined ? [] : [row];
    }),
  );
}
