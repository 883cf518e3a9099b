/**
 * What is printed of projects and keys alike: limits, budgets and spending.
 *
 * @module
 */

import type { AccountRow } from "../../admin/accounts/account.ts";
import type { LimitsJson } from "../../admin/accounts/bounds.ts";
import type { Facts } from "../base/table.ts";

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
): Facts {
  const { paused, spent } = row;
  return [
    ["status", spendState(row)],
    [
      "paused",
      paused &&
      `at ${paused.at} by its spend brake: ${paused.spent_in_hour} within the hour, where ` +
        `${paused.most} is let pass and ${paused.usual_hour} is usual`,
    ],
    ["budgets", budgetsText(row)],
    ["spent", `${spent.hour} this hour, ${spent.day} today, ${spent.month} this month (UTC)`],
  ];
}

const SHORT: { readonly [limit in keyof LimitsJson]-?: string } = {
  requests_per_minute: "requests/min",
  tokens_per_minute: "tokens/min",
  concurrent: "concurrent",
  open_video_tasks: "open videos",
};

/** Such as `600 requests/min, 100 concurrent`; `-` for none. */
export function limitsText(limits: LimitsJson): string {
  const parts = Object.entries(limits).map(([name, value]) =>
    `${value} ${SHORT[name as keyof LimitsJson]}`
  );
  return parts.length === 0 ? "-" : parts.join(", ");
}
