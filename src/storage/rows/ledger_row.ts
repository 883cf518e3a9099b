/**
 * Ledger rows: columns in table order, to bind and to read back.
 *
 * @module
 */

import { MAIN_BOOK } from "../../domain/book.ts";
import type { LedgerKind, LedgerRow } from "../../domain/call.ts";
import { type ColumnValue, rowChecksum } from "./row_checksum.ts";

/** The columns of `ledger` that its checksum covers, in table order. */
export const LEDGER_COLUMNS = [
  "seq",
  "project_id",
  "kind",
  "amount_e8",
  "balance_after_e8",
  "call_id",
  "reference",
  "at",
] as const;

/** A row of `ledger` read with `setReadBigInts(true)`. */
export type StoredLedgerRow = { readonly [column in typeof LEDGER_COLUMNS[number]]: ColumnValue };

/** Values for a ledger row, checksum last. */
export function ledgerValues(row: Omit<LedgerRow, "book">): ColumnValue[] {
  const values: ColumnValue[] = [
    row.seq,
    row.projectId,
    row.kind,
    row.amountE8,
    row.balanceAfterE8,
    row.callId ?? null,
    row.reference ?? null,
    row.at,
  ];
  values.push(rowChecksum(values));
  return values;
}

/** The ledger row that a row stores. */
export function ledgerFromRow(row: StoredLedgerRow): LedgerRow {
  return {
    book: MAIN_BOOK,
    seq: Number(row.seq),
    projectId: row.project_id as string,
    kind: row.kind as LedgerKind,
    amountE8: row.amount_e8 as bigint,
    balanceAfterE8: row.balance_after_e8 as bigint,
    callId: row.call_id === null ? undefined : Number(row.call_id),
    reference: (row.reference ?? undefined) as string | undefined,
    at: Number(row.at),
  };
}
