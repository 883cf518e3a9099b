/**
 * Usage reports: what is asked and what is answered.
 *
 * @module
 */

import type { DetailFigure } from "../../domain/call_figures.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { Tags } from "../../domain/tags.ts";

/** What lines are about, in the order of their fields; `endpoint` is a capability. */
export const USAGE_GROUPS = [
  "project",
  "key",
  "endpoint",
  "model",
  "provider",
  "route",
  "tag",
  "month",
  "day",
  "hour",
] as const;

/** One of {@linkcode USAGE_GROUPS}. */
export type UsageGroup = typeof USAGE_GROUPS[number];

/**
 * Which closed calls a usage report adds up. Times are milliseconds since the
 * epoch and count in whole hours: `fromMs` from the start of its hour, `toMs` to
 * the end of its own (a start of an hour is excluded).
 */
export interface UsageQuery {
  readonly projectId?: string;
  readonly model?: string;
  readonly keyId?: string;
  readonly capability?: string;
  readonly provider?: string;
  readonly route?: string;
  /** Whether what is bought besides tokens is added up too. */
  readonly hasDetails?: boolean;
  readonly fromMs?: number;
  readonly toMs?: number;
  readonly groupBy: readonly UsageGroup[];
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
 * `hours`: hours before `fromMs`, whose calls are archived and kept by whole days.
 * `details`: detailed sums before `fromMs`, which are not there, or not yet.
 */
export type UsageCut =
  | { readonly reason: "time"; readonly fromMs: number }
  | { readonly reason: "rows" }
  | { readonly reason: "hours"; readonly fromMs: number }
  | { readonly reason: "details"; readonly fromMs: number; readonly isUnderWay: boolean }
  | { readonly reason: "days"; readonly edge: "from" | "to"; readonly dayMs: number };

/** Which calls are looked at for names of tags: of a usage query what calls have to be. */
export interface TagNamesQuery extends
  Pick<
    UsageQuery,
    "projectId" | "model" | "keyId" | "capability" | "provider" | "route" | "fromMs" | "toMs"
  > {
  /** How many names are told. */
  readonly limit: number;
}

/** Whether there are no sums for a query: its calls are added up one by one. */
export function isByTag({ tag, tags }: UsageQuery): boolean {
  return tag !== undefined || tags !== undefined;
}

/** Whether only detailed sums answer a query. */
export function isDetailed(query: UsageQuery): boolean {
  const { groupBy, keyId, capability, provider, route, hasDetails = false } = query;
  return hasDetails || (keyId ?? capability ?? provider ?? route) !== undefined ||
    groupBy.some((group) => group === "key" || group === "endpoint" || group === "hour");
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
  readonly key?: string;
  readonly endpoint?: string;
  /** UTC: `2026-11`. */
  readonly month?: string;
  /** UTC date, `2026-11-21`. */
  readonly day?: string;
  /** UTC: `2026-11-21T10:00:00Z`. */
  readonly hour?: string;
  readonly calls: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly costE8: AmountE8;
  readonly saleE8: AmountE8;
  readonly chargedE8: AmountE8;
  readonly lossE8: AmountE8;
  /** Where they are asked for. */
  readonly details?: { readonly [figure in DetailFigure]: number };
}
