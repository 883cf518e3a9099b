/**
 * Options that set budgets and the spend brake.
 *
 * @module
 */

import type { Command } from "commander";
import { parseCount } from "./limit_options.ts";
import { orNone, patchOf, type Removable } from "./removable.ts";

/** What the options give; the word `none` takes a budget away. */
export interface BudgetOptions {
  readonly dailyBudget?: string;
  readonly monthlyBudget?: string;
  readonly spendBrake?: Removable<number>;
  readonly spendBrakeFloor?: string;
}

/** Adds the options. With `removable`, the value `none` takes a budget away. */
export function addBudgetOptions(
  command: Command,
  { removable }: { readonly removable: boolean },
): Command {
  const or = removable ? ", or none" : "";
  return command
    .option("--daily-budget <amount>", `most that is spent in a UTC day${or}`)
    .option("--monthly-budget <amount>", `most that is spent in a calendar month, UTC${or}`)
    .option(
      "--spend-brake <times>",
      `pause when an hour costs more than so many usual ones${or}`,
      orNone(parseCount, { removable }),
    )
    .option(
      "--spend-brake-floor <amount>",
      `the brake leaves hours alone that cost no more (default: 1.00)${or}`,
    );
}

/** The budgets as an operation takes them; only those that were given. */
export function budgetsOf(options: BudgetOptions): { [name: string]: string | number | null } {
  return patchOf<string | number>({
    daily: options.dailyBudget,
    monthly: options.monthlyBudget,
    spend_brake: options.spendBrake,
    spend_brake_floor: options.spendBrakeFloor,
  });
}
