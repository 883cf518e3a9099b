/**
 * Ends of calls that a session could not write any more, as others had ended it: booked once, by another
 * session. What they held is taken of what that one has leased for them and of what nobody has, as far as
 * there is any.
 *
 * @module
 */

import type { ClosedCall } from "../../domain/call.ts";
import type { IdempotencyRecord } from "../../domain/idempotency.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { SessionId } from "../../domain/session.ts";
import { conflict, DONE, missing } from "../entries/entry_results.ts";
import type { Refusal } from "../ports/entry.ts";
import type { Appliers } from "./applier.ts";
import { CALL_APPLIERS } from "./apply_call.ts";
import { refuseLiveAnswer } from "./apply_kept.ts";
import type { PostgresStores } from "./stores.ts";

/** Another process answers the key's request, or has: that is the one that is paid for. */
export const KEY_TAKEN: Refusal = conflict(
  "The call's Idempotency-Key is another process's since this one's session has ended",
);

/** A batch's line without an outcome is made again by whoever goes on with the batch: that one is paid for. */
export const GOES_ON: Refusal = conflict(
  "The call's line is made again by whoever goes on with its batch",
);

/**
 * Closes a call of an ended session. A row of it that is open still is closed like any, by whoever comes
 * first; one that is not there never will be by that session, so that nothing is booked twice.
 *
 * @param ended Whose the calls were.
 */
export function lateClose(ended: SessionId): Appliers<"close">["close"] {
  return async (batch, entry, stores) => {
    const { call: { callId, projectId }, idempotency, batchLine } = entry;
    const stored = await batch.call(callId);
    if (stored !== undefined && stored.session !== ended) {
      return conflict(`Call ${callId} is another session's`);
    }
    if (stored === undefined || stored.state === "open") {
      if (batchLine !== undefined) return GOES_ON;
      if (!await isKeyFree(idempotency, stores)) return KEY_TAKEN;
    }
    const pool = await batch.pool(projectId);
    const lease = await batch.balance(projectId);
    if (pool === undefined || lease === undefined) return missing("project", projectId);
    // For this entry it has all that nobody else has leased.
    lease.avail += pool.avail;
    pool.avail = 0n;
    const heldE8 = stored?.state === "open" ? stored.heldE8 : 0n;
    const call = heldWithin(entry.call, lease.avail + heldE8);
    // A move of the hold came too late to be written.
    const isMoved = stored?.state === "open" && heldE8 !== call.heldE8;
    const moved = isMoved
      ? await CALL_APPLIERS.rehold(batch, { kind: "rehold", call }, stores)
      : DONE;
    const result = moved.ok ? await CALL_APPLIERS.close(batch, { ...entry, call }, stores) : moved;
    // Others need what is left more than this session does.
    pool.avail += lease.avail;
    lease.avail = 0n;
    return result;
  };
}

/** Where there is a key: it is this session's until the call is written. */
async function isKeyFree(
  record: IdempotencyRecord | undefined,
  { claims, answers }: Pick<PostgresStores, "claims" | "answers">,
): Promise<boolean> {
  // What is kept for equal requests of others has no key that anybody could claim.
  if (record === undefined || record.cacheBytes !== undefined) return true;
  const { projectId, path, key, fingerprint, requestId } = record;
  if (!await claims.take({ scope: { projectId, path, key }, fingerprint, requestId })) return false;
  return await refuseLiveAnswer(record, answers) === undefined;
}

/** The call with no more held than there is, and charged no more than that: the rest is the operator's loss. */
function heldWithin(call: ClosedCall, availE8: AmountE8): ClosedCall {
  if (call.heldE8 <= availE8) return call;
  const chargedE8 = call.chargedE8 < availE8 ? call.chargedE8 : availE8;
  const lossE8 = call.lossE8 + call.chargedE8 - chargedE8;
  return { ...call, heldE8: availE8, chargedE8, lossE8 };
}
