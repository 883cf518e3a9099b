/**
 * Detailed sums of archived months by whole days, in the same table: a day's row stands at its first
 * hour. A few rows are moved at a time, the oldest first; at every moment the table has each day's
 * details once, so whoever reads a whole day in one statement reads it right.
 *
 * `detail_days_before_hour` in `meta` is where the next ones are looked for. What a clock that was set
 * back adds before it stays by the hour.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import { HOURLY_TABLES } from "../ports/sums.ts";
import { prepareAll } from "./statements.ts";
import { DETAIL_KEY, DETAIL_SUMS } from "./write_statements.ts";

const { subject: SUBJECT, figures: FIGURES } = HOURLY_TABLES.detail_hourly;
const PLACE = ["hour", ...SUBJECT];
const META = "detail_days_before_hour";

/** SQL for the first hour whose calls are not archived: the beginning of a day. */
export const FIRST_LIVE_HOUR =
  "coalesce((SELECT max(before_at) FROM checkpoints), 0) / 86400000 * 24";

/** SQL for the hour from which on single hours may be left. */
const FROM = `coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE name = '${META}'), 0)`;

/** Writes inside the caller's transaction. */
export class OldDetails {
  readonly #sql;

  constructor(database: DatabaseSync) {
    const old = `FROM detail_hourly
      WHERE hour >= ${FROM} AND hour < ${FIRST_LIVE_HOUR} AND hour % 24 <> 0`;
    const upTo = `${old} AND (${PLACE.join(", ")}) <= (${PLACE.map(() => "?").join(", ")})`;
    const rest = [...SUBJECT, ...FIGURES].join(", ");
    const reach = (hour: string) =>
      `INSERT INTO meta (name, value) VALUES ('${META}', CAST(${hour} AS TEXT))
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`;
    this.#sql = prepareAll(database, {
      isThere: `SELECT EXISTS (SELECT 1 ${old}) AS yes`,
      // The last one of so many, or of all.
      last: `SELECT * FROM (SELECT ${PLACE.join(", ")} ${old} ORDER BY ${PLACE.join(", ")} LIMIT ?)
        ORDER BY ${PLACE.map((name) => `${name} DESC`).join(", ")} LIMIT 1`,
      move: `INSERT INTO detail_hourly (hour, ${rest}) SELECT hour / 24 * 24, ${rest} ${upTo}
        ON CONFLICT (${DETAIL_KEY}) DO UPDATE SET ${DETAIL_SUMS}`,
      drop: `DELETE ${upTo}`,
      reach: reach("?"),
      reachAll: reach(FIRST_LIVE_HOUR),
    });
  }

  /** Whether there are hourly details of what is archived. */
  hasHourly(): boolean {
    return this.#sql.isThere.get()!.yes === 1;
  }

  /** Moves the oldest ones to their days; gives whether there were any. */
  compact(limit: number): boolean {
    const last = this.#sql.last.get(limit);
    if (last === undefined) {
      this.#sql.reachAll.run();
      return false;
    }
    const place = PLACE.map((name) => last[name] as string);
    this.#sql.move.run(...place);
    this.#sql.drop.run(...place);
    this.#sql.reach.run(place[0]!);
    return true;
  }
}
