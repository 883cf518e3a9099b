/**
 * The error for a request whose candidates the balance does not cover.
 *
 * @module
 */

import type { AmountE8 } from "../domain/money.ts";
import { formatAmount } from "../domain/money.ts";
import type { RouteRefusal } from "../errors.ts";
import { GatewayError } from "../errors.ts";
import { refusalFor } from "../routing/refusal.ts";
import type { Plan } from "./plan_call.ts";

/**
 * `insufficient_balance`, with every route of the model in `error.routes`.
 *
 * @param availE8 What the project can still spend.
 */
export function balanceTooLow(plan: Plan, availE8: AmountE8): GatewayError {
  const tooDear: readonly RouteRefusal[] = plan.selection.candidates.map(({ route }) => ({
    route: route.id,
    provider: route.providerId,
    reason: "balance_too_low",
    detail: holdDetail(plan.worstCaseE8(route), availE8),
  }));
  // A route that could be asked now is too dear: that others may come back is no reason to retry.
  const { error, message } = refusalFor(plan.question, { candidates: [], rejected: tooDear });
  return new GatewayError(error, message, { routes: [...tooDear, ...plan.selection.rejected] });
}

/** What a route would hold, and what is there. */
export function holdDetail(holdE8: AmountE8, availE8: AmountE8): string {
  return `would hold ${formatAmount(holdE8)}, the balance is ${formatAmount(availE8)}`;
}
