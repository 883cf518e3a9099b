/**
 * The errors for a project or key that may not spend now.
 *
 * @module
 */

import { endOf } from "../domain/budgets.ts";
import { type AmountE8, formatAmount } from "../domain/money.ts";
import type { SpendPause, SpendSubject } from "../domain/spending.ts";
import { GatewayError } from "../errors.ts";
import type { BudgetNeed } from "./budget_shares.ts";

/** A budget that is used up. */
export interface ReachedBudget {
  readonly period: keyof typeof WORDS;
  readonly budgetE8: AmountE8;
  readonly spentE8: AmountE8;
  /** What calls under way may cost. */
  readonly openE8: AmountE8;
  /** The running hour, since the epoch. */
  readonly hour: number;
}

/** {@linkcode budgetReached}, unless other nodes that share the budget have something to spare. */
export class ShareTooSmall extends GatewayError {
  /** What is to be asked for. */
  readonly needs: readonly BudgetNeed[];

  constructor(subject: SpendSubject, reached: ReachedBudget, needs: readonly BudgetNeed[]) {
    const { error, message, why } = budgetReached(subject, reached);
    super(error, message, { why });
    this.needs = needs;
  }
}

const WORDS = { day: "daily", month: "monthly" } as const;

/** `insufficient_balance`, with the budget, what has used it up and when it begins again. */
export function budgetReached(subject: SpendSubject, reached: ReachedBudget): GatewayError {
  const { period, budgetE8, spentE8, openE8, hour } = reached;
  const open = openE8 === 0n
    ? ""
    : `, and calls under way may cost ${formatAmount(openE8)} on top of that`;
  return new GatewayError(
    "insufficient_balance",
    `The ${WORDS[period]} budget of ${formatAmount(budgetE8)} of ${nameOf(subject)} is reached: ` +
      `${formatAmount(spentE8)} is spent this ${period}${open}. A new ${period} begins at ${
        minuteOf(endOf(period, hour))
      }; until then the operator can raise it with \`tollgate ${command(subject, "set")} --${
        WORDS[period]
      }-budget AMOUNT\`, or begin it anew with \`tollgate ${command(subject, "resume")}\``,
    { why: `${subject.scope}_${WORDS[period]}_budget` },
  );
}

/** `insufficient_balance`, with what the brake saw and the command that resumes. */
export function pausedByBrake(
  subject: SpendSubject,
  { at, spentE8, usualE8, mostE8 }: SpendPause,
): GatewayError {
  return new GatewayError(
    "insufficient_balance",
    `The spend brake has paused ${nameOf(subject)} at ${minuteOf(at)}: ` +
      `${formatAmount(spentE8)} was spent within the hour, where ${formatAmount(mostE8)} is the ` +
      `most that is let pass and ${formatAmount(usualE8)} is usual. The operator resumes it with ` +
      `\`tollgate ${command(subject, "resume")}\``,
    { why: `${subject.scope}_spend_brake` },
  );
}

function nameOf({ scope, id }: SpendSubject): string {
  return `this ${scope} (${id})`;
}

function command({ scope, id }: SpendSubject, verb: string): string {
  return `${scope}s ${verb} ${id}`;
}

/** Such as `2026-11-22T00:00Z`. */
function minuteOf(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, 16)}Z`;
}
