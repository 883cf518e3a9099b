/**
 * Spend by day, stacked by model: the dearest ones each, the others together.
 *
 * @module
 */

import type { UsageRow } from "../../admin/usage.ts";
import { parseAmount } from "../../domain/money.ts";

const MOST_SERIES = 7;
const OTHERS = "others";

interface Series {
  readonly name: string;
  /** What is drawn; the exact amounts stand in tables. */
  readonly values: readonly number[];
  /** What is said of each. */
  readonly shown: readonly string[];
}

export function SpendChart(
  { days, rows, currency }: {
    /** Their beginnings, milliseconds since the epoch. */
    readonly days: readonly number[];
    readonly rows: readonly UsageRow[];
    readonly currency: string;
  },
) {
  const chart = {
    days: days.map((day) => day / 1_000),
    series: seriesOf(days, rows).map((one) => ({
      ...one,
      shown: one.shown.map((amount) => `${amount} ${currency}`),
    })),
  };
  return (
    <div
      class="chart"
      role="img"
      aria-label={`Spend by day in ${currency}, by model; the table below has the sums`}
      data-chart={JSON.stringify(chart)}
    />
  );
}

function seriesOf(days: readonly number[], rows: readonly UsageRow[]): readonly Series[] {
  const spent = new Map<string, Map<string, bigint>>();
  const sums = new Map<string, bigint>();
  for (const { model = "?", sale } of rows) {
    sums.set(model, (sums.get(model) ?? 0n) + parseAmount(sale));
  }
  const dearest = [...sums].sort(([, one], [, other]) => Number(other - one))
    .slice(0, MOST_SERIES).map(([model]) => model);
  for (const { model = "?", day = "", sale } of rows) {
    const name = dearest.includes(model) ? model : OTHERS;
    const byDay = spent.get(name) ?? new Map<string, bigint>();
    byDay.set(day, (byDay.get(day) ?? 0n) + parseAmount(sale));
    spent.set(name, byDay);
  }
  return [...spent].map(([name, byDay]) => {
    const amounts = days.map((day) => byDay.get(new Date(day).toISOString().slice(0, 10)) ?? 0n);
    const values = amounts.map((amount) => Number(amount) / 1e8);
    return { name, values, shown: values.map((value) => value.toFixed(4)) };
  });
}
