/**
 * Budgets and spending as administration takes and shows them: amounts are decimal
 * strings.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import type { Budgets } from "../../domain/budgets.ts";
import { type AmountE8, formatAmount, parseAmount } from "../../domain/money.ts";
import type { SpendSubject } from "../../domain/spending.ts";
import type { AdminDeps } from "../base/deps.ts";
import { shownAmount, shownTime } from "../base/answer_fields.ts";
import { amountField, patchOf, timeToJson } from "../base/input_fields.ts";
import { optionWords } from "../base/option_words.ts";

const times = z.int().min(2).max(1_000_000).register(optionWords, { placeholder: "times" });

/** Budgets as JSON: an absent one is none. */
export const budgetsField = z.strictObject({
  daily: amountField.describe("most that is spent in a UTC day")
    .register(optionWords, { option: "daily-budget", placeholder: "amount" }),
  monthly: amountField.describe("most that is spent in a calendar month, UTC")
    .register(optionWords, { option: "monthly-budget", placeholder: "amount" }),
  spend_brake: times.describe("pause when an hour costs more than so many usual ones"),
  spend_brake_floor: amountField
    .describe("the brake leaves hours alone that cost no more (default: 1.00)")
    .register(optionWords, { placeholder: "amount" }),
}).partial();

/** The value of {@linkcode budgetsField}. */
export type BudgetsJson = Shown<typeof budgetsField>;

/** Budgets in which `null` takes one away. */
export const budgetsPatchField = patchOf(budgetsField);

/** What a project or key has spent, and what stops it. */
export const spendFields = {
  spent: z.object({ hour: shownAmount, day: shownAmount, month: shownAmount }).describe(
    "Of the running UTC hour, day and month, since the last resume where one fell into them",
  ),
  paused: z.object({
    at: shownTime,
    spent_in_hour: shownAmount,
    usual_hour: shownAmount,
    most: shownAmount,
  }).nullable().describe("What its spend brake saw; null when it is not paused"),
  reached_budgets: z.array(z.enum(["daily", "monthly"])).describe(
    "Budgets that are used up, by what is spent and what calls under way may cost",
  ),
};

const spend = z.object(spendFields);

/** The value of {@linkcode spendFields}. */
export type SpendRow = Shown<typeof spend>;

/** Budgets from JSON. */
export function toBudgets(json: z.output<typeof budgetsPatchField>): Budgets {
  const { daily, monthly, spend_brake: brakeTimes, spend_brake_floor: floor } = json;
  return {
    ...(typeof daily === "string" && { dailyE8: parseAmount(daily) }),
    ...(typeof monthly === "string" && { monthlyE8: parseAmount(monthly) }),
    ...(typeof brakeTimes === "number" && { brakeTimes }),
    ...(typeof floor === "string" && { brakeFloorE8: parseAmount(floor) }),
  };
}

/** Budgets as JSON. */
export function budgetsToJson(
  { dailyE8, monthlyE8, brakeTimes, brakeFloorE8 }: Budgets,
): BudgetsJson {
  return {
    ...amount("daily", dailyE8),
    ...amount("monthly", monthlyE8),
    ...(brakeTimes !== undefined && { spend_brake: brakeTimes }),
    ...amount("spend_brake_floor", brakeFloorE8),
  };
}

/** What a project or key has spent, and what stops it. */
export function spendRow(
  { spending }: Pick<AdminDeps, "spending">,
  subject: SpendSubject,
): SpendRow {
  const { hourE8, dayE8, monthE8, pause, reached } = spending.view(subject);
  return {
    spent: {
      hour: formatAmount(hourE8),
      day: formatAmount(dayE8),
      month: formatAmount(monthE8),
    },
    paused: pause === undefined ? null : {
      at: timeToJson(pause.at),
      spent_in_hour: formatAmount(pause.spentE8),
      usual_hour: formatAmount(pause.usualE8),
      most: formatAmount(pause.mostE8),
    },
    reached_budgets: reached.map((period) => period === "day" ? "daily" : "monthly"),
  };
}

function amount<Name extends string>(
  name: Name,
  amountE8: AmountE8 | undefined,
): { [K in Name]?: string } {
  if (amountE8 === undefined) return {};
  return { [name]: formatAmount(amountE8) } as { [K in Name]?: string };
}
