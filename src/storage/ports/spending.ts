/**
 * Spending as it is read back: sums of periods, and hours.
 *
 * @module
 */

import type { AmountE8 } from "../../domain/money.ts";
import type { SpendScope } from "../../domain/spending.ts";

/** What a key has spent since the beginning of three periods. */
export interface SpendSums {
  readonly projectId: string;
  readonly keyId: string;
  readonly hourE8: AmountE8;
  readonly dayE8: AmountE8;
  readonly monthE8: AmountE8;
}

/** What a project or key has spent in one hour. */
export interface HourlySpend {
  readonly id: string;
  /** Hours since the epoch. */
  readonly hour: number;
  readonly spentE8: AmountE8;
}

/** Whose hours, from `fromHour` on and before `toHour` (hours since the epoch). */
export interface SpendHistoryQuery {
  readonly scope: SpendScope;
  readonly ids: readonly string[];
  readonly fromHour: number;
  readonly toHour: number;
}
