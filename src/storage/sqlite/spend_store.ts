/**
 * Spending as rows: hourly sums of each key, and what is stored of projects and
 * keys besides them.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { SpendScope, SpendState } from "../../domain/spending.ts";
import type { HourlySpend, SpendHistoryQuery, SpendSums } from "../ports/spending.ts";
import type { Synchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import { prepareAll, prepareBigInts } from "./statements.ts";
import { readWideSum, wideSumSql } from "../rows/wide_sum.ts";
import { spendStateFrom, spendStateText } from "../rows/spend_state.ts";

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class SqliteSpendStore implements Synchronous<typeof STORES.spending> {
  readonly #sql;
  readonly #sums;

  constructor(database: DatabaseSync) {
    this.#sums = prepareBigInts(database, {
      all: `SELECT project_id, key_id, ${wideSumSql("spent_e8", "month")},
          ${wideSumSql("CASE WHEN hour >= ?2 THEN spent_e8 ELSE 0 END", "day")},
          ${wideSumSql("CASE WHEN hour >= ?3 THEN spent_e8 ELSE 0 END", "hour")}
        FROM spend_hourly WHERE hour >= ?1 GROUP BY project_id, key_id`,
      project: historySql("project_id"),
      key: historySql("key_id"),
    });
    this.#sql = prepareAll(database, {
      states: "SELECT scope, subject_id, document FROM spend_states",
      putState: `INSERT INTO spend_states (scope, subject_id, document) VALUES (?, ?, ?)
        ON CONFLICT (scope, subject_id) DO UPDATE SET document = excluded.document`,
      forgetState: "DELETE FROM spend_states WHERE scope = ? AND subject_id = ?",
    });
  }

  sums(
    { hour, day, month }: { readonly hour: number; readonly day: number; readonly month: number },
  ): readonly SpendSums[] {
    return this.#sums.all.all(month, day, hour).map((row) => ({
      projectId: row.project_id as string,
      keyId: row.key_id as string,
      hourE8: readWideSum(row, "hour"),
      dayE8: readWideSum(row, "day"),
      monthE8: readWideSum(row, "month"),
    }));
  }

  history({ scope, ids, fromHour, toHour }: SpendHistoryQuery): readonly HourlySpend[] {
    return this.#sums[scope].all(fromHour, toHour, JSON.stringify(ids)).map((row) => ({
      id: row.id as string,
      hour: Number(row.hour),
      spentE8: readWideSum(row, "spent"),
    }));
  }

  states(): readonly SpendState[] {
    return this.#sql.states.all().map(spendStateFrom);
  }

  /** Stores what is to be known of a subject; one that is nothing but its name is forgotten. */
  putState(state: SpendState): void {
    const { scope, id } = state;
    const text = spendStateText(state);
    if (text === undefined) this.forgetState(scope, id);
    else this.#sql.putState.run(scope, id, text);
  }

  forgetState(scope: SpendScope, id: string): void {
    this.#sql.forgetState.run(scope, id);
  }
}

function historySql(column: string): string {
  return `SELECT ${column} AS id, hour, ${wideSumSql("spent_e8", "spent")} FROM spend_hourly
    WHERE hour >= ?1 AND hour < ?2 AND ${column} IN (SELECT value FROM json_each(?3))
    GROUP BY ${column}, hour`;
}
