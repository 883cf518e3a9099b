/**
 * The balances that the ledger ends with.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { AmountE8 } from "../../domain/money.ts";

/** What a project's last ledger row says about it. */
export interface LastBalance {
  readonly projectId: string;
  /** Spendable and held together. */
  readonly totalE8: AmountE8;
}

/** One row per project that has any; reads the whole ledger once. */
export function lastBalances(database: DatabaseSync): readonly LastBalance[] {
  // With max(), SQLite takes the other columns from the row that has the maximum.
  const statement = database.prepare(
    `SELECT project_id, max(seq), balance_after_e8 FROM ledger GROUP BY project_id`,
  );
  statement.setReadBigInts(true);
  return statement.all().map((row) => ({
    projectId: row.project_id as string,
    totalE8: row.balance_after_e8 as bigint,
  }));
}
