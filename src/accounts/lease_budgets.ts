/**
 * A call waits for more of budgets that several nodes share.
 *
 * @module
 */

import type { AmountE8 } from "../domain/money.ts";
import type { BudgetNeed } from "./budget_shares.ts";
import { storageAway } from "./ledger_refusals.ts";

/** For so long as one try takes, an answer may be late. */
const MOST_TRIES = 10;

/** Lets calls wait for shares. */
export interface BudgetWaits {
  /** Waits for a moment at most; says whether `take` has taken what is needed, or need not be asked again. */
  whenRoom(needs: readonly BudgetNeed[], take: () => boolean): Promise<boolean>;
}

/**
 * Has shares enlarged until they cover a call, or all nodes together have too little.
 *
 * @returns What was enlarged is kept for the call until it calls this; `undefined` where it gets nothing.
 * @throws {GatewayError} `storage_away` where nobody answers that.
 */
export async function leaseBudgets(
  needs: readonly BudgetNeed[],
  { waits, monotonic }: { readonly waits: BudgetWaits; readonly monotonic: () => number },
): Promise<(() => void) | undefined> {
  const sinceMs = monotonic();
  let isLeased = false;
  const take = () => {
    isLeased = needs.every(({ share, amountE8 }) => share.fits(amountE8));
    if (isLeased) promise(needs, (amountE8) => amountE8);
    // Nobody else has any that could come back.
    return isLeased ||
      needs.some(({ share }) => share.refusedAtMs >= sinceMs && share.elsewhereE8 === 0n);
  };
  // Who has heard of none of them is not refused for it.
  for (let tries = 1; !await waits.whenRoom(needs, take); tries++) {
    if (needs.some(({ share }) => share.answeredAtMs >= sinceMs)) break;
    if (tries === MOST_TRIES) throw storageAway();
  }
  return isLeased ? () => promise(needs, (amountE8) => -amountE8) : undefined;
}

function promise(needs: readonly BudgetNeed[], of: (amountE8: AmountE8) => AmountE8): void {
  for (const { share, amountE8 } of needs) share.promise(of(amountE8));
}
