/**
 * Stored sums.
 *
 * @module
 */

import type { Asynchronous } from "../ports/operations.ts";
import type { STORES } from "../ports/storage.ts";
import {
  type ArchivedDay,
  HOURLY_TABLES,
  type HourlyTable,
  MOST_SUMMED,
  type SumRow,
  type SumSlice,
} from "../ports/sums.ts";
import type { UsageSums } from "../rows/usage_sums.ts";
import type { Ask } from "./ask.ts";
import { recordset } from "./sql.ts";

/** The entry of `cluster_meta` with the last ledger row whose call is in the hourly sums. */
export const COVERED = "usage_covers_ledger_seq";

const USAGE = HOURLY_TABLES.usage_hourly;

/** Reads for the port; writes, inside the caller's transaction, for the writer. */
export class PostgresSumStore implements Asynchronous<typeof STORES.sums> {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  coveredSeq(): Promise<number> {
    return this.#number(COVERED);
  }

  /** Later than 0 where the database was moved here. */
  detailsWholeSince(): Promise<number> {
    return this.#number("detail_whole_since");
  }

  /** Likewise. */
  spendRuleSinceHour(): Promise<number> {
    return this.#number("spend_rule_since_hour");
  }

  async slice(
    { table, fromHour, beforeHour = Number.MAX_SAFE_INTEGER, after, limit }: SumSlice,
  ): Promise<{ readonly coveredSeq: number; readonly rows: readonly SumRow[] }> {
    const { subject, figures } = HOURLY_TABLES[table];
    const key = ["hour", ...subject];
    const place = after ?? { hour: fromHour, subject: subject.map(() => "") };
    const rows = await this.#ask.allWide(
      `SELECT ${[...key, ...figures].join(", ")} FROM ${table}
       WHERE (${key.join(", ")}) > (${key.map(() => "?").join(", ")}) AND hour < ?
       ORDER BY ${key.join(", ")} LIMIT ?`,
      place.hour,
      ...place.subject,
      beforeHour,
      limit,
    );
    return {
      coveredSeq: await this.coveredSeq(),
      rows: rows.map((row) => ({
        hour: Number(row.hour),
        subject: subject.map((name) => row[name] as string),
        figures: figures.map((name) => row[name] as bigint),
      })),
    };
  }

  async nextDay(afterDay: number, beforeDay: number): Promise<ArchivedDay | undefined> {
    const first = await this.#ask.get(
      "SELECT min(hour) / 24 AS day FROM usage_hourly WHERE hour >= ? AND hour < ?",
      (afterDay + 1) * 24,
      beforeDay * 24,
    );
    const day = first!.day as number | null;
    if (day === null) return undefined;
    const rows = await this.#ask.allWide(
      `SELECT project_id, ${USAGE.figures.map((name) => `sum(${name}) AS ${name}`).join(", ")}
       FROM usage_hourly WHERE hour >= ? AND hour < ? GROUP BY project_id ORDER BY project_id`,
      day * 24,
      day * 24 + 24,
    );
    const projects = rows.map((row) => ({
      projectId: row.project_id as string,
      figures: USAGE.figures.map((name) => row[name] as bigint),
    }));
    return { day, projects };
  }

  /** Adds sums to the tables, which then cover the ledger up to `throughSeq`. */
  async write(sums: UsageSums, throughSeq: number): Promise<void> {
    await this.#add("usage_hourly", [...sums.usageRows()]);
    await this.#add("spend_hourly", [...sums.spendRows()]);
    await this.#add("detail_hourly", [...sums.detailRows()]);
    await this.#ask.run(
      `INSERT INTO cluster_meta (name, value) VALUES ('${COVERED}', ?)
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      String(throughSeq),
    );
  }

  async #add(table: HourlyTable, rows: readonly (readonly unknown[])[]): Promise<void> {
    if (rows.length === 0) return;
    const { subject, figures } = HOURLY_TABLES[table];
    const key = ["hour", ...subject].join(", ");
    const columns = ["hour", ...subject, ...figures];
    // Subtracted first: no sum of two large amounts is tried. An hour's amount stays at the largest
    // that a column holds, so that no call is refused for the sake of a sum.
    const added = figures.map((name) =>
      `${name} = ${table}.${name} + least(excluded.${name}, ${MOST_SUMMED} - ${table}.${name})`
    );
    await this.#ask.run(
      `INSERT INTO ${table} (${columns.join(", ")})
       SELECT ${columns.join(", ")} FROM json_populate_recordset(NULL::${table}, ?::text::json)
       ORDER BY ${key}
       ON CONFLICT (${key}) DO UPDATE SET ${added.join(", ")}`,
      recordset(columns, rows),
    );
  }

  async #number(name: string): Promise<number> {
    const row = await this.#ask.get("SELECT value FROM cluster_meta WHERE name = ?", name);
    return Number(row?.value ?? 0);
  }
}
