/**
 * Rows of the ledger with their calls, as a check reads them, from wherever they are.
 *
 * @module
 */

import { type BookId, MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerRow } from "../../domain/call.ts";
import type { RawRow } from "../ports/archived_runs.ts";
import type { RunRows } from "../ports/seals.ts";
import { alteredCalls, alteredOf } from "./altered_rows.ts";
import { callFromRow, type CallRow } from "./call_row.ts";
import { LEDGER_COLUMNS, ledgerFromRow, type StoredLedgerRow } from "./ledger_row.ts";
import { rowChecksum } from "./row_checksum.ts";

type ReadRow = Readonly<Record<string, unknown>>;

/** A row's number, behind its book's where that is not the main one. */
export function nameOfRow(book: number | bigint, seq: number | bigint): string {
  return Number(book) === MAIN_BOOK ? String(seq) : `${book}/${seq}`;
}

/** Calls that rows of a run belong to, each once. */
export function callsOf(rows: readonly ReadRow[]): readonly number[] {
  return [...new Set(rows.flatMap(({ call_id }) => call_id === null ? [] : [Number(call_id)]))];
}

/** Calls whose ends rows of a run say: each comes with that row, once. */
export function endedCallsOf(rows: readonly ReadRow[]): readonly number[] {
  return rows.flatMap(({ kind, call_id }) =>
    call_id === null || kind === "loss" ? [] : [Number(call_id)]
  );
}

/** A row that was read with its checksum, as an archive has it. */
export function rawOf(row: ReadRow, columns: readonly string[]): RawRow {
  return [...columns, "checksum"].map((name) => row[name] as RawRow[number]);
}

/** Rows of a book and their calls, read with integers as BigInts and with their checksums. */
export function runRowsOf(
  book: BookId,
  { rows, calls }: { readonly rows: readonly ReadRow[]; readonly calls: readonly ReadRow[] },
): RunRows {
  return {
    rows: rows.map((row): LedgerRow => ({
      ...ledgerFromRow(row as unknown as StoredLedgerRow),
      book,
    })),
    calls: (calls as unknown as readonly CallRow[]).map(callFromRow),
    altered: [
      ...alteredOf(rows, {
        columns: LEDGER_COLUMNS,
        checksumOf: rowChecksum,
        nameOf: ({ seq }) => ({ table: "ledger", id: nameOfRow(book, seq as bigint) }),
      }),
      ...alteredCalls(calls),
    ],
  };
}
