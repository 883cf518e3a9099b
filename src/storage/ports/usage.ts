/**
 * Usage reports: what is asked and what is answered.
 *
 * @module
 */

import type { AmountE8 } from "../../domain/money.ts";
import type { Tags } from "../../domain/tags.ts";

/**
 * Which closed calls a usage report adds up. Times are milliseconds since the
 * epoch and count in whole hours: `fromMs` from the start of its hour, `toMs` to
 * the end of its own (a start of an hour is excluded).
 */
export interface UsageQuery {
  readonly projectId?: string;
  readonly model?: string;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly groupBy: readonly ("project" | "model" | "provider" | "route" | "day" | "tag")[];
  /** The tag that `groupBy` means by `tag`: calls without it are left out. */
  readonly tag?: string;
  /** Only calls that have all of these tags. */
  readonly tags?: Tags;
  /** The longest that it is added up, in milliseconds; unbounded when absent. */
  readonly withinMs?: number;
}

/**
 * What a usage report leaves out. `time`: hours before `fromMs` (milliseconds since
 * the epoch), those from then on are whole. `rows`: lines behind the last one; those
 * that are there are whole. `days`: everything, as it was asked for a part of the day
 * that begins at `dayMs`, of which there is only the whole, since its calls are archived.
 */
export type UsageCut =
  | { readonly reason: "time"; readonly fromMs: number }
  | { readonly reason: "rows" }
  | { readonly reason: "days"; readonly edge: "from" | "to"; readonly dayMs: number };

/** Whether there are no sums for a query: its calls are added up one by one. */
export function isByTag({ tag, tags }: UsageQuery): boolean {
  return tag !== undefined || tags !== undefined;
}

/** A usage report. */
export interface UsageReport {
  /** In the order of their fields, at most 10,000. */
  readonly lines: readonly UsageTotals[];
  readonly cut: UsageCut | undefined;
}

/** One line of a usage report. Grouping fields that were not asked for are absent. */
export interface UsageTotals {
  readonly project?: string;
  readonly model?: string;
  readonly provider?: string;
  readonly route?: string;
  /** The value of the query's `tag`. */
  readonly tag?: string;
  /** UTC date, `2026-11-21`. */
  readonly day?: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costE8: AmountE8;
  readonly saleE8: AmountE8;
  readonly chargedE8: AmountE8;
  readonly lossE8: AmountE8;
}
