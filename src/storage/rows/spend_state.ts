/**
 * What is stored of a subject's spending besides its sums.
 *
 * @module
 */

import { formatAmount } from "../../domain/money.ts";
import type { SpendScope, SpendState } from "../../domain/spending.ts";

/** The text; `undefined` for a state that is nothing but its subject's name. */
export function spendStateText({ pause, forgiven }: SpendState): string | undefined {
  if (pause === undefined && Object.keys(forgiven).length === 0) return undefined;
  return JSON.stringify({ pause, forgiven }, writeAmounts);
}

/** The state that a row stores. */
export function spendStateFrom(
  { scope, subject_id: id, document }: Readonly<Record<string, unknown>>,
): SpendState {
  const { pause, forgiven } = JSON.parse(document as string, readAmounts);
  return { scope: scope as SpendScope, id: id as string, pause, forgiven };
}

/** Every amount, and nothing else, is a decimal string: a sum, which may have any number of digits. */
function writeAmounts(_name: string, value: unknown): unknown {
  return typeof value === "bigint" ? formatAmount(value) : value;
}

function readAmounts(_name: string, value: unknown): unknown {
  return typeof value === "string" ? BigInt(value.replace(".", "")) : value;
}
