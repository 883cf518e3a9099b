/**
 * Sums of archived months take little room: usage is kept by whole days, and spending by
 * nothing, as budgets and brakes read only what is not archived.
 *
 * A few rows are moved at a time, the oldest first. At every moment the two tables together
 * have each day's usage once, so whoever reads a whole day in one transaction reads it right.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { FIRST_LIVE_HOUR, OldDetails } from "./old_details.ts";
import { prepareAll } from "./statements.ts";
import { cappedAddSql } from "../rows/wide_sum.ts";

/** What a row of usage is about, behind its hour or day. */
const SUBJECT = "project_id, model, provider, route";
const COUNTS = ["calls", "prompt_tokens", "completion_tokens"];
const AMOUNTS = ["cost_e8", "sale_e8", "charged_e8", "loss_e8"];

/** Writes inside the caller's transaction. */
export class OldSums {
  readonly #sql;
  readonly #details: OldDetails;

  constructor(database: DatabaseSync) {
    this.#details = new OldDetails(database);
    const oldest = `FROM usage_hourly WHERE hour < ${FIRST_LIVE_HOUR} ORDER BY hour, ${SUBJECT}`;
    const upTo = `FROM usage_hourly WHERE (hour, ${SUBJECT}) <= (?, ?, ?, ?, ?)`;
    const columns = [...COUNTS, ...AMOUNTS].join(", ");
    const added = [
      ...COUNTS.map((column) => `${column} = ${column} + excluded.${column}`),
      ...AMOUNTS.map((column) => `${column} = ${cappedAddSql(column, `excluded.${column}`)}`),
    ];
    const exists = (table: string) =>
      `EXISTS (SELECT 1 FROM ${table} WHERE hour < ${FIRST_LIVE_HOUR})`;
    this.#sql = prepareAll(database, {
      // The last one of so many, or of all.
      last: `SELECT * FROM (SELECT hour, ${SUBJECT} ${oldest} LIMIT ?)
        ORDER BY hour DESC, project_id DESC, model DESC, provider DESC, route DESC LIMIT 1`,
      // Behind a SELECT, SQLite reads ON CONFLICT only after a WHERE.
      move: `INSERT INTO usage_daily (day, ${SUBJECT}, ${columns})
        SELECT hour / 24, ${SUBJECT}, ${columns} ${upTo}
        ON CONFLICT (day, ${SUBJECT}) DO UPDATE SET ${added.join(", ")}`,
      drop: `DELETE ${upTo}`,
      dropSpend: `DELETE FROM spend_hourly WHERE (hour, project_id, key_id) IN (
        SELECT hour, project_id, key_id FROM spend_hourly WHERE hour < ${FIRST_LIVE_HOUR}
        ORDER BY hour, project_id, key_id LIMIT ?)`,
      isThere: `SELECT ${exists("usage_hourly")} OR ${exists("spend_hourly")} AS yes`,
    });
  }

  /** Whether there are hourly sums of what is archived. */
  hasHourly(): boolean {
    return this.#sql.isThere.get()!.yes === 1 || this.#details.hasHourly();
  }

  /** Moves or drops the oldest hourly sums of what is archived; gives whether there were any. */
  compact(limit: number): boolean {
    const last = this.#sql.last.get(limit);
    if (last === undefined) {
      return this.#sql.dropSpend.run(limit).changes > 0 || this.#details.compact(limit);
    }
    const { hour, project_id, model, provider, route } = last;
    const place = [hour, project_id, model, provider, route] as unknown as readonly string[];
    this.#sql.move.run(...place);
    this.#sql.drop.run(...place);
    return true;
  }
}
