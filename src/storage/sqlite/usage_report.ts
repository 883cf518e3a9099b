/**
 * Usage totals from the hourly sums.
 *
 * @module
 */

import type { DatabaseSync } from "node:sqlite";
import type { UsageQuery, UsageTotals } from "../ports/storage.ts";
import { readWideSum, wideSumSql } from "./wide_sum.ts";

const HOUR_MS = 3_600_000;

/** More lines than a report can be read; a statement must not run unbounded. */
const MAX_LINES = 10_000;

/** Expressions by grouping word. Nothing of a query's text ever becomes SQL. */
const GROUPS = {
  project: "project_id",
  model: "model",
  provider: "provider",
  route: "route",
  day: "strftime('%Y-%m-%d', hour * 3600, 'unixepoch')",
} as const;

interface TotalsRow extends Readonly<Record<string, unknown>> {
  readonly project?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly route?: string;
  readonly day?: string;
  readonly calls: bigint;
  readonly prompt_tokens: bigint;
  readonly completion_tokens: bigint;
}

/** Columns of amounts, without what says their unit. */
const AMOUNTS = ["cost", "sale", "charged", "loss"] as const;

/**
 * Adds up whole hours: `fromMs` counts from the start of its hour, `toMs` to the
 * end of its own, unless it is the start of an hour.
 *
 * @throws {RangeError} If the grouping makes more than 10,000 lines.
 */
export function readUsageTotals(database: DatabaseSync, query: UsageQuery): UsageTotals[] {
  const groups = (Object.keys(GROUPS) as (keyof typeof GROUPS)[])
    .filter((group) => query.groupBy.includes(group));
  const selected = groups.map((group) => `${GROUPS[group]} AS "${group}", `).join("");
  const grouped = groups.length === 0
    ? "HAVING count(*) > 0"
    : `GROUP BY ${groups.map((group) => GROUPS[group]).join(", ")} ORDER BY ${
      groups.map((group) => GROUPS[group]).join(", ")
    }`;
  const statement = database.prepare(
    `SELECT ${selected}sum(calls) AS calls, sum(prompt_tokens) AS prompt_tokens,
       sum(completion_tokens) AS completion_tokens, ${
      AMOUNTS.map((name) => wideSumSql(`${name}_e8`, name)).join(", ")
    }
     FROM usage_hourly
     WHERE hour >= ?1 AND hour < ?2 AND (?3 IS NULL OR project_id = ?3) AND (?4 IS NULL OR model = ?4)
     ${grouped} LIMIT ${MAX_LINES + 1}`,
  );
  statement.setReadBigInts(true);
  const rows = statement.all(
    Math.floor((query.fromMs ?? 0) / HOUR_MS),
    query.toMs === undefined ? Number.MAX_SAFE_INTEGER : Math.ceil(query.toMs / HOUR_MS),
    query.projectId ?? null,
    query.model ?? null,
  ) as unknown as TotalsRow[];
  if (rows.length > MAX_LINES) {
    throw new RangeError(
      `Cannot report more than ${MAX_LINES} lines: narrow the time or group by fewer fields`,
    );
  }
  return rows.map((row) => totalsFromRow(row, groups));
}

function totalsFromRow(row: TotalsRow, groups: readonly (keyof typeof GROUPS)[]): UsageTotals {
  const amount = (name: typeof AMOUNTS[number]) => readWideSum(row, name);
  return {
    ...Object.fromEntries(groups.map((group) => [group, row[group]])),
    calls: Number(row.calls),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
    costE8: amount("cost"),
    saleE8: amount("sale"),
    chargedE8: amount("charged"),
    lossE8: amount("loss"),
  };
}
