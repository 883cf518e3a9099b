/**
 * What an entry of a call's life does to its project's balance and to the ledger, and what speaks
 * against it, given what is stored.
 *
 * @module
 */

import type { CallState, ClosedCall, LedgerRow, OpenCall } from "../../domain/call.ts";
import { type AmountE8, MAX_AMOUNT_E8 } from "../../domain/money.ts";
import type { Entry, Refusal } from "../ports/entry.ts";
import { conflict, missing } from "./entry_results.ts";

/** A project's balance while entries move it. */
export interface MovingBalance {
  avail: AmountE8;
  held: AmountE8;
}

/** What is stored of a call that an entry goes on with. */
export interface StoredHold {
  readonly state: CallState | "open";
  readonly projectId: string;
  readonly heldE8: AmountE8;
}

/** A row of the ledger before it has its place there. */
export type NewLedgerRow = Omit<LedgerRow, "book" | "seq" | "balanceAfterE8">;

/** Why a balance does not cover an amount; `undefined` when it does. */
export function tooSmall(balance: MovingBalance, amountE8: AmountE8): Refusal | undefined {
  if (balance.avail >= amountE8) return undefined;
  return conflict(`Cannot hold ${amountE8}: ${balance.avail} is available (units of 1e-8)`);
}

/** Moves an amount that is covered from what is available to what is held. */
export function take(balance: MovingBalance, amountE8: AmountE8): void {
  balance.avail -= amountE8;
  balance.held += amountE8;
}

/** Gives back what a call held, but for what it is charged. */
export function giveBack(balance: MovingBalance, { heldE8, chargedE8 }: ClosedCall): void {
  balance.held -= heldE8;
  balance.avail += heldE8 - chargedE8;
}

/** Why a call's hold cannot be replaced, whatever the balance; `undefined` when it can. */
export function refuseRehold(call: OpenCall, stored: StoredHold | undefined): Refusal | undefined {
  if (stored === undefined) return missing("call", call.callId);
  if (stored.state !== "open") return closedAlready(call, stored);
  return stored.projectId === call.projectId ? undefined : otherCall(call);
}

/** Why a call was not closed, given what is stored of it and that nothing was written. */
export function refuseClose(
  call: ClosedCall,
  { stored, balance }: { readonly stored: StoredHold | undefined; readonly balance: MovingBalance },
): Refusal {
  if (stored === undefined) return tooSmall(balance, call.heldE8)!;
  return stored.state === "open" ? otherCall(call) : closedAlready(call, stored);
}

/** The row of a call's end: `settle` or `release`. */
export function outcomeRow(
  { projectId, callId, state, chargedE8, closedAt }: ClosedCall,
): NewLedgerRow {
  const kind = state === "settled" ? "settle" : "release";
  return { projectId, kind, amountE8: chargedE8, callId, reference: undefined, at: closedAt };
}

/** The row of what the operator loses by a call; `undefined` when that is nothing. */
export function lossRow(
  { projectId, callId, lossE8, closedAt }: ClosedCall,
): NewLedgerRow | undefined {
  if (lossE8 === 0n) return undefined;
  return { projectId, kind: "loss", amountE8: lossE8, callId, reference: undefined, at: closedAt };
}

/** Why a project cannot have more; `undefined` when it can. */
export function refuseCredit(
  { avail, held }: MovingBalance,
  { amountE8 }: Extract<Entry, { readonly kind: "credit" }>,
): Refusal | undefined {
  if (avail + held + amountE8 <= MAX_AMOUNT_E8) return undefined;
  return conflict(`The balance would exceed the largest amount, ${MAX_AMOUNT_E8}`);
}

function closedAlready({ callId }: OpenCall, { state }: StoredHold): Refusal {
  return conflict(`Call ${callId} is ${state} already`);
}

function otherCall({ callId }: OpenCall): Refusal {
  return conflict(`Call ${callId} is open with another project or hold`);
}
