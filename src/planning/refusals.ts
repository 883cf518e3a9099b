/**
 * The refusals of a request that no route is left for.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import { type AmountE8, formatAmount } from "../domain/money.ts";
import { GatewayError, type RouteRefusal } from "../errors.ts";
import { refusalFor } from "../routing/refusal.ts";
import type { RouteQuestion, Selection } from "../routing/route_request.ts";

/**
 * `insufficient_balance`, with every route of the model in `error.routes`.
 *
 * @param availE8 What the project can still spend.
 */
export function balanceTooLow(
  { question, selection, worstCaseE8 }: {
    readonly question: RouteQuestion;
    readonly selection: Selection;
    readonly worstCaseE8: (route: Route) => AmountE8;
  },
  availE8: AmountE8,
): GatewayError {
  const tooDear: readonly RouteRefusal[] = selection.candidates.map(({ route }) => ({
    route: route.id,
    provider: route.providerId,
    reason: "balance_too_low",
    detail: holdDetail(worstCaseE8(route), availE8),
  }));
  // A route that could be asked now is too dear: that others may come back is no reason to retry.
  const { error, message } = refusalFor(question, { candidates: [], rejected: tooDear });
  return new GatewayError(error, message, { routes: [...tooDear, ...selection.rejected] });
}

/** What a route would hold, and what is there. */
export function holdDetail(holdE8: AmountE8, availE8: AmountE8): string {
  return `would hold ${formatAmount(holdE8)}, the balance is ${formatAmount(availE8)}`;
}

/** What `refusalFor` decides, as an error with `error.routes`. */
export function refused(question: RouteQuestion, selection: Selection): GatewayError {
  const { error, message, ...options } = refusalFor(question, selection);
  return new GatewayError(error, message, options);
}
