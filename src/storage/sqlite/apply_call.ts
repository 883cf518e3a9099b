/**
 * Entries of a call's life: hold, rehold, close. Each step of the balance is
 * checked before anything is written, so that a refusal leaves no trace.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { EntryResult } from "../ports/entry.ts";
import type { Batch, BatchBalance } from "./batch.ts";
import { closedCallValues, openCallValues } from "./call_row.ts";
import { conflict, DONE, missing } from "./entry_results.ts";
import type { Refusal } from "./sqlite_error.ts";

/** Takes a hold: available to held, and an open call, written when the batch is flushed. */
export function applyHold(batch: Batch, call: OpenCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  if (batch.holds.has(call.callId)) return conflict(`Call ${call.callId} is open already`);
  const short = tooSmall(balance, call.heldE8);
  if (short !== undefined) return short;
  take(balance, call.heldE8);
  batch.holds.set(call.callId, call);
  return DONE;
}

/** Replaces an open call's route, price version and hold. */
export function applyRehold(batch: Batch, call: OpenCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const unwritten = batch.holds.get(call.callId);
  const stored = unwritten ?? readCall(batch, call.callId);
  if (stored === undefined) return missing("call", call.callId);
  if ("state" in stored && stored.state !== "open") {
    return conflict(`Call ${call.callId} is ${stored.state} already`);
  }
  if (stored.projectId !== call.projectId) return otherCall(call);
  const short = tooSmall(balance, call.heldE8 - stored.heldE8);
  if (short !== undefined) return short;
  if (unwritten === undefined) {
    batch.statements.reopenCall.run(...openCallValues(call));
  } else batch.holds.set(call.callId, call);
  take(balance, call.heldE8 - stored.heldE8);
  return DONE;
}

/**
 * Closes a call exactly once. A hold of the same batch and its close become one
 * row; an unknown call is held and closed in one step. The held amount must be
 * the stored one: the balance's owner and the database never disagree silently.
 */
export function applyClose(batch: Batch, call: ClosedCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const refused = closeRow(batch, call, balance);
  if (refused !== undefined) return refused;
  balance.held -= call.heldE8;
  balance.avail += call.heldE8 - call.chargedE8;
  appendOutcome(batch, call, balance);
  batch.addUsage(call);
  return DONE;
}

function closeRow(
  batch: Batch,
  call: ClosedCall,
  balance: BatchBalance,
): Refusal | undefined {
  const { closeCall, insertCall } = batch.statements;
  const unwritten = batch.holds.get(call.callId);
  if (unwritten !== undefined) {
    if (!isSameHold(unwritten, call)) return otherCall(call);
    insertCall.run(...closedCallValues(call));
    batch.holds.delete(call.callId);
    return undefined;
  }
  const values = closedCallValues(call);
  if (closeCall.run(...values).changes === 1) return undefined;
  const stored = readCall(batch, call.callId);
  if (stored !== undefined) {
    return stored.state === "open"
      ? otherCall(call)
      : conflict(`Call ${call.callId} is ${stored.state} already`);
  }
  const short = tooSmall(balance, call.heldE8);
  if (short !== undefined) return short;
  insertCall.run(...values);
  take(balance, call.heldE8);
  return undefined;
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

function isSameHold(held: OpenCall, call: ClosedCall): boolean {
  return held.projectId === call.projectId && held.heldE8 === call.heldE8 &&
    held.unlimited === call.unlimited;
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
