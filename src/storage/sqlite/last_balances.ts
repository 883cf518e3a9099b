/**
 * The balances that the ledger ends with.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { LastBalance } from "../ports/books.ts";

/** One row per project that ever had any; reads the whole live ledger once. */
export function lastBalances(database: DatabaseSync): readonly LastBalance[] {
  // With max(), SQLite takes the other columns from the row that has the maximum. Rows that are
  // archived and not dropped yet say the same as their checkpoint, or something older.
  const statement = database.prepare(
    `SELECT project_id, max(seq), balance_after_e8 FROM (
       SELECT project_id, seq, balance_after_e8 FROM ledger
       WHERE seq > coalesce((SELECT max(last_seq) FROM checkpoints), 0)
       UNION ALL
       SELECT closing.key, 0, CAST(closing.value ->> 'closing_e8' AS INTEGER)
       FROM checkpoints, json_each(document, '$.projects') AS closing
       WHERE number = (SELECT max(number) FROM checkpoints))
     GROUP BY project_id`,
  );
  statement.setReadBigInts(true);
  return statement.all().map((row) => ({
    projectId: row.project_id as string,
    totalE8: row.balance_after_e8 as bigint,
  }));
}
