/**
 * Rows that were read with a checksum which does not fit.
 *
 * @module
 */

import type { AlteredRow } from "../ports/books.ts";
import { CALL_COLUMNS, callChecksum } from "./call_row.ts";
import { type ColumnValue, fitsChecksum } from "./row_checksum.ts";

type ReadRow = Readonly<Record<string, unknown>>;

/** How rows of a table are looked at. */
export interface CheckedRows {
  readonly columns: readonly string[];
  readonly checksumOf: (values: readonly ColumnValue[]) => number;
  readonly nameOf: (row: ReadRow) => AlteredRow;
}

/** Those of a table whose rows were read with integers as BigInts. */
export function alteredOf(
  rows: readonly ReadRow[],
  { columns, checksumOf, nameOf }: CheckedRows,
): readonly AlteredRow[] {
  return rows.filter((row) =>
    !fitsChecksum(
      columns.map((column) => row[column] as ColumnValue),
      Number(row.checksum),
      checksumOf,
    )
  ).map(nameOf);
}

/** Those of calls. */
export function alteredCalls(rows: readonly ReadRow[]): readonly AlteredRow[] {
  return alteredOf(rows, {
    columns: CALL_COLUMNS,
    checksumOf: callChecksum,
    nameOf: ({ call_id }) => ({ table: "calls", id: String(call_id) }),
  });
}
