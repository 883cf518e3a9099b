/**
 * What projects and keys have spent: the sale amount of what was used, whether or
 * not their balance covered it and they have one.
 *
 * @module
 */

import type { SpendPeriod } from "./budgets.ts";
import { ANSWER_NOT_KEPT, type ClosedCall } from "./call.ts";
import type { AmountE8 } from "./money.ts";

/** Whose spending is added up. */
export type SpendScope = "project" | "key";

/** A project or key. */
export interface SpendSubject {
  readonly scope: SpendScope;
  readonly id: string;
}

/** Why a spend brake has paused a subject, until an operator resumes it. */
export interface SpendPause {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Spent in the hour of `at` until then. */
  readonly spentE8: AmountE8;
  /** What its usual hour costs. */
  readonly usualE8: AmountE8;
  /** More than this was too much. */
  readonly mostE8: AmountE8;
}

/** Spending of a period that counts no more, since an operator has resumed the subject after it. */
export interface ForgivenSpend {
  /** See `periodOf`. */
  readonly period: number;
  readonly amountE8: AmountE8;
}

/** What is stored of a subject besides its sums. */
export interface SpendState extends SpendSubject {
  readonly pause: SpendPause | undefined;
  readonly forgiven: { readonly [period in SpendPeriod]?: ForgivenSpend };
}

/**
 * What a call counts against budgets and brakes: all that a settled one used, also
 * where the balance did not cover it, and what an upstream did for a caller that left or whose
 * answer had no room, to be kept or in memory: none of these is a way around them. Of any other
 * call that was refused no upstream has done anything.
 */
export function spentE8({ state, result, errorCode, saleE8 }: ClosedCall): AmountE8 {
  const isSpent = state === "settled" || result === "client_aborted" || result === "refused" ||
    errorCode === ANSWER_NOT_KEPT;
  return isSpent ? saleE8 : 0n;
}

/** What a call was sold for, as its project is told: charged, or what an unlimited project would have been. */
export function soldE8({ state, saleE8, lossE8 }: ClosedCall): AmountE8 {
  return state === "settled" ? saleE8 - lossE8 : 0n;
}
