/**
 * More of a balance or a budget that several nodes share, for a call that this node's part does not
 * cover.
 *
 * @module
 */

import type { CallLedger } from "../accounts/call_ledger.ts";
import { ShareTooSmall } from "../accounts/spend_refusal.ts";
import { GatewayError } from "../errors.ts";
import type { Plan } from "./plan_call.ts";

/** A part that is leased may be taken by other calls before this one tries again. */
const MOST_TRIES = 10;

/** What a hold is taken for, and how. */
export interface LeasedHold<Taken> {
  readonly plan: Plan;
  readonly projectId: string;
  /** Nothing has happened where it throws, but that time has passed. */
  readonly take: () => Taken | Promise<Taken>;
}

/** What enlarges parts. */
type Leases = Pick<CallLedger, "lease" | "leaseBudgets">;

/**
 * Tries something that takes a hold, again where it was refused as this node's part of the balance or of
 * a budget was too small, and that could be enlarged. Where these are nobody else's it is tried at once
 * and once.
 *
 * @throws What `take` threw last.
 */
export function leaseFor<Taken>(
  leases: Leases,
  hold: LeasedHold<Taken>,
): Taken | Promise<Taken> {
  return leases.lease === undefined ? hold.take() : tryAgain(leases, hold);
}

async function tryAgain<Taken>(
  leases: Leases,
  { plan, projectId, take }: LeasedHold<Taken>,
): Promise<Taken> {
  for (let tries = 1;; tries++) {
    try {
      return await take();
    } catch (error) {
      if (tries === MOST_TRIES) throw error;
      if (error instanceof ShareTooSmall) {
        const begin = await leases.leaseBudgets!(error);
        // Whoever is refused is told how it is now.
        if (begin === undefined) return await take();
        begin();
        continue;
      }
      const isShort = error instanceof GatewayError && error.error === "insufficient_balance" &&
        error.routes?.some(({ reason }) => reason === "balance_too_low") === true;
      if (!isShort || !await leased(leases.lease!, plan, projectId)) throw error;
    }
  }
}

/** What the best route needs, or else the least that any does. */
async function leased(
  lease: NonNullable<CallLedger["lease"]>,
  plan: Plan,
  projectId: string,
): Promise<boolean> {
  const needs = plan.selection.candidates.map(({ route }) => plan.worstCaseE8(route));
  const [best] = needs;
  if (best === undefined) return false;
  if (await lease(projectId, best)) return true;
  const least = needs.reduce((a, b) => a < b ? a : b);
  return least < best && await lease(projectId, least);
}
