/**
 * Which calls may be archived by their age: those of whole calendar months (UTC), and none
 * of the current month or the one before.
 *
 * @module
 */

/** What budgets of a month, brakes, limits, repeated requests and films under way still read. */
const MONTHS_THAT_STAY = 1;

/** The beginning of a month, which lies so many months from the one of a time. */
export function startOfMonth(atMs: number, months = 0): number {
  const date = new Date(atMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months);
}

/** The earliest time of which nothing may be archived yet. */
export function firstOpenMonth(nowMs: number): number {
  return startOfMonth(nowMs, -MONTHS_THAT_STAY);
}

/** The beginning of the first month that has not ended so many months ago, or is open yet. */
export function dueMonth(nowMs: number, afterMonths: number): number {
  return Math.min(startOfMonth(nowMs, -afterMonths), firstOpenMonth(nowMs));
}

/** Up to when calls may be archived, of those before a time, and why not up to that time. */
export interface ClosedMonths {
  /** Milliseconds since the epoch: the beginning of a month. */
  readonly beforeMs: number;
  /** What was asked for and stays. */
  readonly refused: { readonly fromMs: number; readonly why: string } | undefined;
}

/** The closed months before a time. */
export function closedMonths(untilMs: number, nowMs: number): ClosedMonths {
  const open = firstOpenMonth(nowMs);
  if (untilMs > open) {
    return {
      beforeMs: open,
      refused: {
        fromMs: open,
        why: "the current month and the one before stay: budgets, brakes and repeated requests " +
          "need them",
      },
    };
  }
  const beforeMs = startOfMonth(untilMs);
  if (beforeMs === untilMs) return { beforeMs, refused: undefined };
  return { beforeMs, refused: { fromMs: beforeMs, why: "only whole months are archived" } };
}
