/**
 * Adds calls that were closed before there were detailed sums to them, the newest first, a few at a
 * time: how far it has come is written with what it has added.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { ClosedCall } from "../../domain/call.ts";
import { CALL_COLUMNS, callFromRow, type CallRow } from "../rows/call_row.ts";
import { prepareAll, prepareBigInts } from "./statements.ts";
import { UsageSums } from "../rows/usage_sums.ts";
import { writeDetailSums } from "./usage_sums.ts";
import { ADD_DETAIL } from "./write_statements.ts";

const COLUMNS = CALL_COLUMNS.map((column) => `calls.${column}`).join(", ");

/** Writes inside the caller's transaction. */
export class DetailBackfill {
  readonly #sql;
  readonly #calls;

  constructor(database: DatabaseSync) {
    this.#sql = prepareAll(database, {
      seq: "SELECT CAST(value AS INTEGER) AS n FROM meta WHERE name = 'detail_backfill_seq'",
      archived: "SELECT coalesce(max(before_at), 0) AS n FROM checkpoints",
      move: "UPDATE meta SET value = ? WHERE name = 'detail_backfill_seq'",
      reach: "UPDATE meta SET value = ? WHERE name = 'detail_whole_since'",
      addDetail: ADD_DETAIL,
    });
    this.#calls = prepareBigInts(database, {
      before: `SELECT ledger.seq AS ledger_seq, ${COLUMNS}
        FROM ledger CROSS JOIN calls ON calls.call_id = ledger.call_id
        WHERE ledger.kind IN ('settle', 'release') AND ledger.seq <= ?
        ORDER BY ledger.seq DESC LIMIT ?`,
    });
  }

  /** Adds the next calls, at most so many; gives whether there may be more. */
  run(limit: number): boolean {
    const upTo = this.#sql.seq.get()!.n as number;
    if (upTo === 0) return false;
    const rows = this.#calls.before.all(upTo, limit);
    const calls = rows.map((row) => callFromRow(row as unknown as CallRow) as ClosedCall);
    const sums = new UsageSums();
    for (const call of calls) sums.add(call);
    writeDetailSums(sums, this.#sql.addDetail);
    // A slice that is full may be the last one, too.
    const next = rows.length < limit ? 0 : Number(rows.at(-1)!.ledger_seq) - 1;
    const isOver = next === 0;
    this.#sql.move.run(String(next));
    const since = isOver ? this.#sql.archived.get()!.n as number : calls.at(-1)!.closedAt;
    this.#sql.reach.run(String(since));
    return !isOver;
  }
}
