/**
 * Holds, as those know them who take them, and as the ledger does.
 *
 * @module
 */

import type { OpenCall } from "../domain/call.ts";
import type { SpendReserve } from "./spend_reserve.ts";

/** A hold that was taken; it is closed exactly once. */
export interface Hold {
  readonly call: OpenCall;
  readonly closed: boolean;
}

/** What decides whether a hold fits. */
export type HoldQuestion = Pick<OpenCall, "projectId" | "keyId" | "heldE8" | "reservedE8">;

/** The ledger's own view of it. */
export class OwnedHold implements Hold {
  closed = false;
  /** Whether storage may have an earlier hold of this call: moving it was refused. */
  isMoveUnwritten = false;

  /** @param reserve What it counts against budgets. */
  constructor(public call: OpenCall, readonly reserve: SpendReserve | undefined) {}
}
