/**
 * Copies the rows of an archive: ledger rows, their calls, and the prices of those.
 *
 * @module
 */

import type { CopyRowsOptions } from "../../ports/archives.ts";
import { CHECKED_TABLES, type CheckedTable } from "../checked_tables.ts";
import type { ColumnValue } from "../row_checksum.ts";
import { ArchiveWriter, type ColumnTypes } from "./archive_writer.ts";

/** A ledger row to copy. */
export interface SourceRow {
  readonly seq: number;
  readonly callId: number | undefined;
  readonly values: readonly ColumnValue[];
}

/** Where rows come from, with their values in the order of an archive's columns. */
export interface RowSource {
  /** Ledger rows behind `afterSeq`, rising, none beyond the range. */
  ledgerRows(afterSeq: number, toSeq: number, limit: number): readonly SourceRow[];
  /** A row by its key. */
  row(table: CheckedTable, key: number): readonly ColumnValue[] | undefined;
  /** What an archive's tables are declared as. */
  columnTypes(): ColumnTypes;
}

const SLICE = 500;
const PRICE_VERSION = CHECKED_TABLES.calls.indexOf("price_version");

/** Copies them all; `part` may then be there in part if that fails. */
export async function copyRows(
  source: RowSource,
  { range: { fromSeq, toSeq }, part, pause, onCopied }: CopyRowsOptions,
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
    for (const call of calls) prices.add(Number(call[PRICE_VERSION]));
    last = rows.at(-1)!.seq;
    onCopied(last - fromSeq + 1);
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
