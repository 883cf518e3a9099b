/**
 * Hourly sums of usage and of spending, written to their tables.
 *
 * @module
 */

import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ClosedCall } from "../../domain/call.ts";
import { CALL_COLUMNS, callFromRow, type CallRow } from "../rows/call_row.ts";
import type { UsageSums } from "../rows/usage_sums.ts";
import { change } from "./statements.ts";
import { COVERED, type WriteStatements } from "./write_statements.ts";

/** Writes sums, which then cover the ledger up to `throughSeq`. The caller clears them once that is synced. */
export function writeUsageSums(
  sums: UsageSums,
  statements: WriteStatements,
  throughSeq: number,
): void {
  for (const row of sums.usageRows()) change(statements.addUsage, row);
  for (const row of sums.spendRows()) change(statements.addSpend, row);
  writeDetailSums(sums, statements.addDetail);
  statements.coverUsage.run(String(throughSeq));
}

/** Writes the detailed sums alone. */
export function writeDetailSums(sums: UsageSums, addDetail: StatementSync): void {
  for (const row of sums.detailRows()) change(addDetail, row);
}

/** Calls that the ledger has and the table has not, because the process died before they were written. */
export function uncoveredCalls(database: DatabaseSync): readonly ClosedCall[] {
  const columns = CALL_COLUMNS.map((column) => `calls.${column}`).join(", ");
  const statement = database.prepare(
    `SELECT ${columns} FROM ledger JOIN calls ON calls.call_id = ledger.call_id
     WHERE ledger.kind IN ('settle', 'release') AND ledger.seq >
       coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '${COVERED}'), 0)`,
  );
  statement.setReadBigInts(true);
  const rows = statement.all() as unknown as CallRow[];
  return rows.map((row) => callFromRow(row) as ClosedCall);
}
