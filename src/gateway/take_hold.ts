/**
 * The hold of an admitted call.
 *
 * @module
 */

import type { CallLedger } from "../accounts/call_ledger.ts";
import type { Hold } from "../accounts/ledger.ts";
import type { Route } from "../domain/catalogue.ts";
import type { Clock } from "../domain/clock.ts";
import { openCall } from "../planning/open_call.ts";
import type { Plan } from "../planning/plan_call.ts";
import { balanceTooLow } from "../planning/refusals.ts";
import type { CallRequest } from "./call_request.ts";

/**
 * Holds the worst case of the first candidate that the balance covers.
 *
 * @throws {GatewayError} `insufficient_balance` or `storage_full`; the request no longer counts
 * in its limits then, and keeps its place until it is over.
 */
export function takeHold(
  { ledger, clock }: { readonly ledger: CallLedger; readonly clock: Clock },
  { caller, identity, arrivedAt, stay, tags, batchId }: CallRequest,
  plan: Plan,
): { readonly hold: Hold; readonly route: Route } {
  const openedAt = Math.round(clock.now() - (clock.monotonic() - arrivedAt));
  try {
    for (const { route } of plan.selection.candidates) {
      const hold = ledger.hold(
        openCall(plan, { route, caller, identity, openedAt, tags, batchId }),
      );
      if (hold !== undefined) return { hold, route };
    }
    throw balanceTooLow(plan, ledger.balanceOf(caller.project.id).avail);
  } catch (error) {
    stay.permit.uncount();
    throw error;
  }
}
