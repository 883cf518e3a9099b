/**
 * Entries of a call's life: hold, rehold, close. Each step of the balance is
 * checked before anything is written, so that a refusal leaves no trace.
 *
 * @module
 */

import type { ClosedCall, OpenCall } from "../../domain/call.ts";
import type { SessionId } from "../../domain/session.ts";
import {
  giveBack,
  lossRow,
  outcomeRow,
  refuseClose,
  refuseRehold,
  take,
  tooSmall,
} from "../entries/call_steps.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { EntryResult } from "../ports/entry.ts";
import { closedCallValues, openCallValues } from "../rows/call_row.ts";
import type { Appliers } from "./applier.ts";
import type { Batch } from "./batch.ts";
import type { KnownCall } from "./session_rows.ts";

export const CALL_APPLIERS: Appliers<"hold" | "rehold" | "close"> = {
  hold: (batch, { call }) => applyHold(batch, call),
  rehold: (batch, { call }) => applyRehold(batch, call),
  async close(batch, { call, response, idempotency, batchLine }, stores) {
    const { responses, answers, cached, batches } = stores;
    const result = await applyClose(batch, call);
    if (!result.ok) return result;
    // An answer in the background may have been deleted meanwhile.
    if (response?.isBackground) await responses.replace(response);
    else if (response !== undefined) await responses.insert(response);
    // Whatever the key stood for: a call that ended is never refused for the sake of its answer.
    if (idempotency?.cacheBytes !== undefined) await cached.put(idempotency);
    else if (idempotency !== undefined) await answers.put(idempotency, response?.id);
    if (batchLine !== undefined) await batches.putLine(batchLine);
    return result;
  },
};

/**
 * Takes a hold: available to held, and an open call.
 *
 * @param session Whose it is: `EARLIER_SESSION` for one that outlives whoever takes it.
 */
export async function applyHold(
  batch: Batch,
  call: OpenCall,
  session: SessionId = batch.session,
): Promise<EntryResult> {
  const balance = await batch.balanceOf({ projectId: call.projectId, session });
  if (balance === undefined) return missing("project", call.projectId);
  const short = tooSmall(balance, call.heldE8);
  if (short !== undefined) return short;
  if (await batch.call(call.callId) !== undefined) {
    return conflict(`Call ${call.callId} exists already`);
  }
  batch.putCall(call.callId, asOpen(call, session), openCallValues(call));
  take(balance, call.heldE8);
  return DONE;
}

/** Replaces an open call's route, price version and hold. */
export async function applyRehold(batch: Batch, call: OpenCall): Promise<EntryResult> {
  const stored = await batch.call(call.callId);
  const { projectId } = call;
  const session = stored?.session ?? batch.session;
  const balance = await batch.balanceOf({ projectId, session });
  if (balance === undefined) return missing("project", projectId);
  const more = call.heldE8 - (stored?.heldE8 ?? 0n);
  const refusal = refuseRehold(call, stored) ?? tooSmall(balance, more);
  if (refusal !== undefined) return refusal;
  batch.putCall(call.callId, asOpen(call, session), openCallValues(call));
  take(balance, more);
  return DONE;
}

/**
 * Closes a call exactly once; an unknown call is held and closed in one step.
 * The held amount must be the stored one: the balance's owner and the database
 * never disagree silently.
 */
export async function applyClose(batch: Batch, call: ClosedCall): Promise<EntryResult> {
  const stored = await batch.call(call.callId);
  const { projectId } = call;
  const session = stored?.session ?? batch.session;
  const balance = await batch.balanceOf({ projectId, session });
  if (balance === undefined) return missing("project", projectId);
  if (stored === undefined) {
    if (tooSmall(balance, call.heldE8) !== undefined) {
      return refuseClose(call, { stored, balance });
    }
    take(balance, call.heldE8);
  } else if (!isSameHold(stored, call)) return refuseClose(call, { stored, balance });
  const closed = { ...asOpen(call, session), state: call.state };
  batch.putCall(call.callId, closed, closedCallValues(call));
  giveBack(balance, call);
  await batch.appendOutcome(outcomeRow(call));
  const loss = lossRow(call);
  if (loss !== undefined) await batch.appendOutcome(loss);
  batch.noteClosed(call);
  return DONE;
}

function isSameHold(stored: KnownCall, call: ClosedCall): boolean {
  return stored.state === "open" && stored.projectId === call.projectId &&
    stored.heldE8 === call.heldE8 && stored.unlimited === call.unlimited;
}

function asOpen(
  { projectId, heldE8, unlimited }: OpenCall,
  session: SessionId,
): KnownCall {
  return { state: "open", projectId, heldE8, unlimited, session };
}
