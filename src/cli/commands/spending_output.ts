/**
 * How budgets and spending are printed.
 *
 * @module
 */

import type { AccountRow } from "../../admin/accounts/account.ts";

/** Whether a project or key can be used now: the reason that an operator has to end first. */
export function spendState({ disabled, paused, reached_budgets: reached }: AccountRow): string {
  if (disabled) return "disabled";
  if (paused !== null) return "paused";
  return reached.length === 0 ? "enabled" : `${reached.join(", ")} budget reached`;
}

/** Such as `0.40000000 of 5.00000000 today`; `-` without budgets. */
export function budgetsText({ budgets, spent }: AccountRow) {
  const { daily, monthly, spend_brake: times, spend_brake_floor: floor } = budgets;
  const parts = [
    ...(daily === undefined ? [] : [`${spent.day} of ${daily} today`]),
    ...(monthly === undefined ? [] : [`${spent.month} of ${monthly} this month`]),
    ...(times === undefined ? [] : [`brake at ${times} usual hours`]),
    ...(floor === undefined ? [] : [`brake from ${floor}`]),
  ];
  return parts.length === 0 ? "-" : parts.join(", ");
}

/** What is spent and what stops it, fact by fact. */
export function spendingFacts(
  row: AccountRow,
): readonly (readonly [string, string])[] {
  const { paused, spent } = row;
  return [
    ["state", spendState(row)],
    ...(paused === null ? [] : [
      [
        "paused",
        `at ${paused.at} by its spend brake: ${paused.spent_in_hour} within the hour, where ` +
        `${paused.most} is let pass and ${paused.usual_hour} is usual`,
      ] as const,
    ]),
    ["budgets", budgetsText(row)],
    ["spent", `${spent.hour} this hour, ${spent.day} today, ${spent.month} this month (UTC)`],
  ];
}
