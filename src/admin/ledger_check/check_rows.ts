/**
 * The parts of the check that look through rows one by one: for altered ones, and for rows of the
 * audit log that are gone.
 *
 * @module
 */

import type { AuditLink } from "../../storage/ports/audit.ts";
import type { AuditStore, LedgerStore } from "../../storage/ports/storage.ts";
import type { Differences } from "../base/findings.ts";

/** How to go through rows. */
export interface RowReading {
  readonly differences: Differences;
  /** Rows read in one go. */
  readonly slice: number;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
  /** Told how many rows were read. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Below every key that a table may have. */
const FIRST = Number.MIN_SAFE_INTEGER;

/** The tables whose rows have one. */
export const CHECKED_TABLES = ["calls", "ledger", "price_versions"] as const;

/** Compares each row of some tables with its checksum. */
export async function checkRowSums(
  ledger: Pick<LedgerStore, "alteredRows">,
  tables: readonly typeof CHECKED_TABLES[number][],
  { differences, slice, pause, onRows }: RowReading,
): Promise<void> {
  for (const table of tables) {
    let after: number | undefined = FIRST;
    while (after !== undefined) {
      const { altered, next } = await ledger.alteredRows(table, after, slice);
      for (const { id } of altered) {
        const detail = "the row was altered: its checksum does not fit its columns";
        differences.note([table, id], detail);
      }
      after = next;
      onRows?.(slice);
      await pause();
    }
  }
}

/** Checks every row of the audit log; gives how many there are. */
export async function checkAudit(
  audit: AuditStore,
  { differences, slice, pause, onRows }: RowReading,
): Promise<number> {
  let count = 0;
  let after: AuditLink | undefined;
  do {
    const { rows, faults, next } = await audit.check(after, slice);
    count += rows;
    onRows?.(rows);
    for (const { seq, detail } of faults) differences.note(["audit", seq], detail);
    after = next;
    await pause();
  } while (after !== undefined);
  return count;
}

/** How to read and what to do with what was read. */
export interface SliceReading<Row> {
  /** Rows asked for at one time; fewer are the last ones. */
  readonly slice: number;
  readonly read: () => Promise<readonly Row[]> | readonly Row[];
  readonly take: (rows: readonly Row[]) => Promise<void> | void;
  /** Waits between two slices. */
  readonly pause: () => Promise<void>;
  /** Told how many rows were read. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** Reads to the end. */
export async function readSlices<Row>(
  { slice, read, take, pause, onRows }: SliceReading<Row>,
): Promise<void> {
  for (;;) {
    const rows = await read();
    await take(rows);
    onRows?.(rows.length);
    if (rows.length < slice) return;
    await pause();
  }
}
