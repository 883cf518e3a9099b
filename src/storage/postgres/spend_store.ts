/**
 * Spending: hourly sums of each key, and what is stored of projects and keys besides them.
 *
 * @module
 */

import type { SpendScope, SpendState } from "../../domain/spending.ts";
import type { Asynchronous } from "../ports/operations.ts";
import type { HourlySpend, SpendHistoryQuery, SpendSums } from "../ports/spending.ts";
import type { STORES } from "../ports/storage.ts";
import { spendStateFrom, spendStateText } from "../rows/spend_state.ts";
import type { Ask } from "./ask.ts";

const COLUMN: { readonly [scope in SpendScope]: string } = {
  project: "project_id",
  key: "key_id",
};

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresSpendStore implements Asynchronous<typeof STORES.spending> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async sums(
    { hour, day, month }: { readonly hour: number; readonly day: number; readonly month: number },
  ): Promise<readonly SpendSums[]> {
    const rows = await this.#ask.allWide(
      `SELECT project_id, key_id, sum(spent_e8) AS month,
         sum(CASE WHEN hour >= ?2 THEN spent_e8 ELSE 0 END) AS day,
         sum(CASE WHEN hour >= ?3 THEN spent_e8 ELSE 0 END) AS hour
       FROM spend_hourly WHERE hour >= ?1 GROUP BY project_id, key_id`,
      month,
      day,
      hour,
    );
    return rows.map((row) => ({
      projectId: row.project_id as string,
      keyId: row.key_id as string,
      hourE8: row.hour as bigint,
      dayE8: row.day as bigint,
      monthE8: row.month as bigint,
    }));
  }

  async history(
    { scope, ids, fromHour, toHour }: SpendHistoryQuery,
  ): Promise<readonly HourlySpend[]> {
    const column = COLUMN[scope];
    const rows = await this.#ask.allWide(
      `SELECT ${column} AS id, hour, sum(spent_e8) AS spent FROM spend_hourly
       WHERE hour >= ? AND hour < ? AND ${column} = ANY(?)
       GROUP BY ${column}, hour ORDER BY ${column}, hour`,
      fromHour,
      toHour,
      ids,
    );
    return rows.map((row) => ({
      id: row.id as string,
      hour: Number(row.hour),
      spentE8: row.spent as bigint,
    }));
  }

  async states(): Promise<readonly SpendState[]> {
    const rows = await this.#ask.all("SELECT scope, subject_id, document FROM spend_states");
    return rows.map(spendStateFrom);
  }

  /** Stores what is to be known of a subject; one that is nothing but its name is forgotten. */
  async putState(state: SpendState): Promise<void> {
    const { scope, id } = state;
    const text = spendStateText(state);
    if (text === undefined) return await this.forgetState(scope, id);
    await this.#ask.run(
      `INSERT INTO spend_states (scope, subject_id, document) VALUES (?, ?, ?)
       ON CONFLICT (scope, subject_id) DO UPDATE SET document = excluded.document`,
      scope,
      id,
      text,
    );
  }

  async forgetState(scope: SpendScope, id: string): Promise<void> {
    await this.#ask.run("DELETE FROM spend_states WHERE scope = ? AND subject_id = ?", scope, id);
  }
}
