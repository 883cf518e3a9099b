/**
 * Projects and keys as rows.
 *
 * @module
 */

import type { Project, ProjectKey } from "../../domain/account.ts";
import type { Budgets } from "../../domain/budgets.ts";
import type { Limits } from "../../domain/catalogue.ts";
import { formatAmount, parseAmount } from "../../domain/money.ts";
import type { ColumnValue } from "./row_checksum.ts";
import { flag, integer, json, orNone, RowOf, single, type Stored, text } from "./row_of.ts";

export const PROJECT = new RowOf<Project>({
  id: text(),
  unlimited: flag(),
  disabled: flag(),
  models: json(),
  limits: json(),
  budgets: single(budgetsToText, budgetsFromText),
  quotas: json(),
  createdAt: integer(),
});

export function keyRow(limits: Stored<Limits>): RowOf<ProjectKey> {
  return new RowOf<ProjectKey>({
    id: text(),
    projectId: text(),
    name: text(),
    prefix: text(),
    hash: text(),
    models: orNone(json()),
    limits,
    budgets: single(budgetsToText, budgetsFromText),
    expiresAt: orNone(integer()),
    disabled: flag(),
    createdAt: integer(),
    earlier: orNone(json()),
  });
}

export const KEY = keyRow(json());

/** Most projects and keys share them. */
const NO_BUDGETS: Budgets = Object.freeze({});

/** Amounts are decimal strings, as everywhere outside the program. */
function budgetsToText(budgets: Budgets): string {
  const amount = (value: bigint | undefined) =>
    value === undefined ? undefined : formatAmount(value);
  return JSON.stringify({
    daily: amount(budgets.dailyE8),
    monthly: amount(budgets.monthlyE8),
    brake_times: budgets.brakeTimes,
    brake_floor: amount(budgets.brakeFloorE8),
  });
}

function budgetsFromText(stored: ColumnValue): Budgets {
  if (stored === "{}") return NO_BUDGETS;
  const { daily, monthly, brake_times: brakeTimes, brake_floor: brakeFloor } = JSON.parse(
    stored as string,
  );
  return {
    ...(daily !== undefined && { dailyE8: parseAmount(daily) }),
    ...(monthly !== undefined && { monthlyE8: parseAmount(monthly) }),
    ...(brakeTimes !== undefined && { brakeTimes }),
    ...(brakeFloor !== undefined && { brakeFloorE8: parseAmount(brakeFloor) }),
  };
}
