/**
 * The error for a request whose candidates the balance does not cover.
 *
 * @module
 */

import type { RouteRefusal } from "../errors.ts";
import { GatewayError } from "../errors.ts";
import { refusalFor } from "../routing/refusal.ts";
import type { Plan } from "./plan_call.ts";

/** `insufficient_balance`, with every route of the model in `error.routes`. */
export function balanceTooLow(plan: Plan): GatewayError {
  const tooDear: readonly RouteRefusal[] = plan.selection.candidates.map(({ route }) => ({
    route: route.id,
    provider: route.providerId,
    reason: "balance_too_low",
  }));
  // A route that could be asked now is too dear: that others may come back is no reason to retry.
  const { error, message } = refusalFor(plan.question, { candidates: [], rejected: tooDear });
  return new GatewayError(error, message, { routes: [...tooDear, ...plan.selection.rejected] });
}
