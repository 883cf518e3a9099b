/**
 * How keys are printed.
 *
 * @module
 */

import type { KeyRow } from "../../admin/accounts/keys.ts";
import type { Column } from "../base/table.ts";
import { limitsText } from "./project_output.ts";
import { budgetsText, spendingFacts, spendState } from "./spending_output.ts";

/** The columns of `keys list`. */
export const KEY_COLUMNS: readonly Column<KeyRow>[] = [
  { header: "ID", value: ({ id }) => id },
  { header: "PROJECT", value: ({ project }) => project },
  { header: "KEY", value: ({ prefix }) => `${prefix}…` },
  { header: "NAME", value: ({ name }) => name === "" ? "-" : name },
  { header: "STATE", value: stateOf },
  { header: "EXPIRES", value: (row) => row.expires_at?.slice(0, 16).concat("Z") ?? "never" },
  { header: "MODELS", value: ({ models }) => models?.join(",") ?? "all" },
  { header: "LIMITS", value: ({ limits }) => limitsText(limits) },
  { header: "BUDGETS", value: budgetsText },
];

/** A key, fact by fact. */
export function keyFacts(row: KeyRow): readonly (readonly [string, string])[] {
  return [
    ["id", row.id],
    ["project", row.project],
    ["name", row.name === "" ? "-" : row.name],
    ...spendingFacts(row),
    ["expires", row.expires_at ?? "never"],
    ["models", row.models?.join(",") ?? "all"],
    ["limits", limitsText(row.limits)],
  ];
}

/** Whether a key can be used. */
export function stateOf(row: KeyRow): string {
  return !row.disabled && row.expired ? "expired" : spendState(row);
}
