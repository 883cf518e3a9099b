/**
 * What a project or key may spend, and the arithmetic of its periods. Hours, days
 * and months are those of UTC.
 *
 * @module
 */

import type { AmountE8 } from "./money.ts";

/** Budgets and spend brake of a project or key; an absent one is none. */
export interface Budgets {
  /** Amount per day, above 0. */
  readonly dailyE8?: AmountE8;
  /** Amount per calendar month, above 0. */
  readonly monthlyE8?: AmountE8;
  /** Pauses when the running hour costs more than so many usual ones: a whole number from 2. */
  readonly brakeTimes?: number;
  /** The brake leaves hours alone that cost no more than this; {@linkcode DEFAULT_BRAKE_FLOOR_E8} if absent. */
  readonly brakeFloorE8?: AmountE8;
}

/** Periods that a budget may bound, and which does. The longer one first: it is the one that lasts. */
export const BUDGETED_PERIODS = [
  { period: "month", budgetOf: ({ monthlyE8 }: Budgets) => monthlyE8 },
  { period: "day", budgetOf: ({ dailyE8 }: Budgets) => dailyE8 },
] as const;

/** Whether spending is bounded by an amount, for which calls under way count too. */
export function hasBudget({ dailyE8, monthlyE8 }: Budgets): boolean {
  return dailyE8 !== undefined || monthlyE8 !== undefined;
}

/** One currency unit: a project that has just begun is not paused by its first cents. */
export const DEFAULT_BRAKE_FLOOR_E8: AmountE8 = 100_000_000n;

/** The periods in which spending is added up, the shortest first. */
export const SPEND_PERIODS = ["hour", "day", "month"] as const;

/** One of {@linkcode SPEND_PERIODS}. */
export type SpendPeriod = typeof SPEND_PERIODS[number];

const HOUR_MS = 3_600_000;

/** Hours since the epoch. */
export function hourOf(atMs: number): number {
  return Math.floor(atMs / HOUR_MS);
}

/** The number of the period that an hour lies in: rising, the same for all its hours. */
export function periodOf(period: SpendPeriod, hour: number): number {
  switch (period) {
    case "hour":
      return hour;
    case "day":
      return Math.floor(hour / 24);
    case "month": {
      const date = new Date(hour * HOUR_MS);
      return date.getUTCFullYear() * 12 + date.getUTCMonth();
    }
  }
}

/** The first hour of a period by its number, as {@linkcode periodOf} gives it. */
export function firstHourOf(period: SpendPeriod, number: number): number {
  switch (period) {
    case "hour":
      return number;
    case "day":
      return number * 24;
    case "month":
      return hourOf(Date.UTC(Math.floor(number / 12), number % 12, 1));
  }
}

/** When the period after the one of `hour` begins, milliseconds since the epoch. */
export function endOf(period: SpendPeriod, hour: number): number {
  return firstHourOf(period, periodOf(period, hour) + 1) * HOUR_MS;
}
