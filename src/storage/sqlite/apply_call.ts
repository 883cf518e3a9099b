/**
 * Entries of a call's life: hold, rehold, close. Each step of the balance is
 * checked before anything is written, so that a refusal leaves no trace.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { EntryResult, Refusal } from "../ports/entry.ts";
import type { Batch, BatchBalance } from "./batch.ts";
import { closedCallValues, openCallValues } from "./call_row.ts";
import type { ColumnValue } from "./row_checksum.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";

/** Takes a hold: available to held, and an open call. */
export function applyHold(batch: Batch, call: OpenCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const short = tooSmall(balance, call.heldE8);
  if (short !== undefined) return short;
  if (!batch.insertCall(openCallValues(call))) {
    return conflict(`Call ${call.callId} exists already`);
  }
  take(balance, call.heldE8);
  batch.openCalls.add(call.callId);
  return DONE;
}

/** Replaces an open call's route, price version and hold. */
export function applyRehold(batch: Batch, call: OpenCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const stored = readCall(batch, call.callId);
  if (stored === undefined) return missing("call", call.callId);
  if (stored.state !== "open") return conflict(`Call ${call.callId} is ${stored.state} already`);
  if (stored.projectId !== call.projectId) return otherCall(call);
  const more = call.heldE8 - stored.heldE8;
  const short = tooSmall(balance, more);
  if (short !== undefined) return short;
  batch.statements.reopenCall.run(...openCallValues(call));
  take(balance, more);
  return DONE;
}

/**
 * Closes a call exactly once; an unknown call is held and closed in one step.
 * The held amount must be the stored one: the balance's owner and the database
 * never disagree silently.
 */
export function applyClose(
  batch: Batch,
  { call }: { readonly call: ClosedCall },
): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const values = closedCallValues(call);
  // What is known of the open rows decides what is tried first, not what is done.
  const closed = batch.openCalls.delete(call.callId)
    ? closeHeld(batch, values) || holdAndClose(batch, { call, balance, values })
    : holdAndClose(batch, { call, balance, values }) || closeHeld(batch, values);
  if (!closed) return refuseClose(batch, call, balance);
  balance.held -= call.heldE8;
  balance.avail += call.heldE8 - call.chargedE8;
  appendOutcome(batch, call, balance);
  batch.noteClosed(call);
  return DONE;
}

/** Whether the call was open with the same hold. */
function closeHeld(batch: Batch, values: readonly ColumnValue[]): boolean {
  return batch.statements.closeCall.run(...values).changes === 1;
}

/** Whether there was no such call and its hold fits. */
function holdAndClose(
  batch: Batch,
  { call, balance, values }: {
    readonly call: ClosedCall;
    readonly balance: BatchBalance;
    readonly values: readonly ColumnValue[];
  },
): boolean {
  if (tooSmall(balance, call.heldE8) !== undefined) return false;
  if (!batch.insertCall(values)) return false;
  take(balance, call.heldE8);
  return true;
}

function refuseClose(batch: Batch, call: ClosedCall, balance: BatchBalance): Refusal {
  const stored = readCall(batch, call.callId);
  if (stored === undefined) return tooSmall(balance, call.heldE8)!;
  return stored.state === "open"
    ? otherCall(call)
    : conflict(`Call ${call.callId} is ${stored.state} already`);
}

/** `settle` or `release`, and what the operator loses. */
function appendOutcome(batch: Batch, call: ClosedCall, balance: BatchBalance): void {
  const { projectId, callId, closedAt: at } = call;
  const reference = undefined;
  const kind = call.state === "settled" ? "settle" : "release";
  batch.appendLedger({ projectId, kind, amountE8: call.chargedE8, callId, reference, at }, balance);
  if (call.lossE8 === 0n) return;
  batch.appendLedger(
    { projectId, kind: "loss", amountE8: call.lossE8, callId, reference, at },
    balance,
  );
}

function take(balance: BatchBalance, amountE8: bigint): void {
  balance.avail -= amountE8;
  balance.held += amountE8;
}

function tooSmall(balance: BatchBalance, amountE8: bigint): Refusal | undefined {
  if (balance.avail >= amountE8) return undefined;
  return conflict(`Cannot hold ${amountE8}: ${balance.avail} is available (units of 1e-8)`);
}

function otherCall(call: OpenCall): Refusal {
  return conflict(`Call ${call.callId} is open with another project or hold`);
}

interface StoredHold {
  readonly state: string;
  readonly projectId: string;
  readonly heldE8: bigint;
}

function readCall(batch: Batch, callId: number): StoredHold | undefined {
  const row = batch.statements.readCall.get(callId);
  if (row === undefined) return undefined;
  return {
    state: row.state as string,
    projectId: row.project_id as string,
    heldE8: row.held_e8 as bigint,
  };
}
