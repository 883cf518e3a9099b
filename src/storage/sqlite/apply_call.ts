/**
 * Entries of a call's life: hold, rehold, close. Each step of the balance is
 * checked before anything is written, so that a refusal leaves no trace.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { EntryResult } from "../ports/entry.ts";
import type { Appliers } from "./applier.ts";
import type { Batch } from "./batch.ts";
import { closedCallValues, openCallValues } from "../rows/call_row.ts";
import type { ColumnValue } from "../rows/row_checksum.ts";
import {
  giveBack,
  lossRow,
  type MovingBalance,
  outcomeRow,
  refuseClose,
  refuseRehold,
  type StoredHold,
  take,
  tooSmall,
} from "../entries/call_steps.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";

export const CALL_APPLIERS: Appliers<"hold" | "rehold" | "close"> = {
  hold: (batch, { call }) => applyHold(batch, call),
  rehold: (batch, { call }) => applyRehold(batch, call),
  close(
    batch,
    { call, response, idempotency, batchLine },
    { responses, answers, cached, batches },
  ) {
    const result = applyClose(batch, call);
    if (!result.ok) return result;
    // An answer in the background may have been deleted meanwhile.
    if (response?.isBackground) responses.replace(response);
    else if (response !== undefined) responses.insert(response);
    // Whatever the key stood for: a call that ended is never refused for the sake of its answer.
    if (idempotency?.cacheBytes !== undefined) cached.put(idempotency);
    else if (idempotency !== undefined) answers.put(idempotency, response?.id);
    if (batchLine !== undefined) batches.putLine(batchLine);
    return result;
  },
};

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
  batch.openCalls.set(call.callId, call);
  return DONE;
}

/** Replaces an open call's route, price version and hold. */
export function applyRehold(batch: Batch, call: OpenCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const stored = readCall(batch, call.callId);
  const more = call.heldE8 - (stored?.heldE8 ?? 0n);
  const refusal = refuseRehold(call, stored) ?? tooSmall(balance, more);
  if (refusal !== undefined) return refusal;
  batch.statements.reopenCall.run(...openCallValues(call));
  batch.openCalls.set(call.callId, call);
  take(balance, more);
  return DONE;
}

/**
 * Closes a call exactly once; an unknown call is held and closed in one step.
 * The held amount must be the stored one: the balance's owner and the database
 * never disagree silently.
 */
export function applyClose(batch: Batch, call: ClosedCall): EntryResult {
  const balance = batch.balance(call.projectId);
  if (balance === undefined) return missing("project", call.projectId);
  const values = closedCallValues(call);
  // What is known of the open rows decides how it is tried first, not what comes of it.
  const open = batch.openCalls.get(call.callId);
  batch.openCalls.delete(call.callId);
  const closed = open === undefined
    ? holdAndClose(batch, { call, balance, values }) || batch.closeCall(call, values)
    : batch.closeCall(call, values, open) || holdAndClose(batch, { call, balance, values });
  if (!closed) return refuseClose(call, { stored: readCall(batch, call.callId), balance });
  giveBack(balance, call);
  batch.appendLedger(outcomeRow(call), balance);
  const loss = lossRow(call);
  if (loss !== undefined) batch.appendLedger(loss, balance);
  batch.noteClosed(call);
  return DONE;
}

/** Whether there was no such call and its hold fits. */
function holdAndClose(
  batch: Batch,
  { call, balance, values }: {
    readonly call: ClosedCall;
    readonly balance: MovingBalance;
    readonly values: readonly ColumnValue[];
  },
): boolean {
  if (tooSmall(balance, call.heldE8) !== undefined) return false;
  if (!batch.insertCall(values)) return false;
  take(balance, call.heldE8);
  return true;
}

function readCall(batch: Batch, callId: number): StoredHold | undefined {
  const row = batch.statements.readCall.get(callId);
  if (row === undefined) return undefined;
  return {
    state: row.state as StoredHold["state"],
    projectId: row.project_id as string,
    heldE8: row.held_e8 as bigint,
  };
}
