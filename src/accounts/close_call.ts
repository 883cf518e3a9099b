/**
 * Decides the money of calls that ended.
 *
 * @module
 */

import {
  ANSWER_NOT_KEPT,
  type CallResult,
  type ClosedCall,
  type FailedAttempt,
  type OpenCall,
} from "../domain/call.ts";
import type { NoRoom } from "../domain/kept_bytes.ts";
import type { AmountE8 } from "../domain/money.ts";
import { NO_WORK, type UsageSource, type Work } from "../domain/work.ts";
import type { Terms } from "../domain/terms.ts";
import type { Kept } from "../storage/ports/entry.ts";
import type { Purse } from "./purses.ts";

/** How a call ended, before money is decided. */
export interface CallOutcome {
  readonly result: CallResult;
  /** Whether the project pays for the usage; otherwise the hold is released and a priced usage is the operator's loss. */
  readonly billable: boolean;
  readonly work: Work;
  /** What the answer says that its price depends on; absent: what was known before. */
  readonly terms?: Terms | undefined;
  readonly usageSource: UsageSource;
  /** How much of a film the amounts are for, 1 to 99. Default: all of it. */
  readonly videoPercent?: number | undefined;
  readonly costE8: AmountE8;
  readonly saleE8: AmountE8;
  readonly firstByteMs: number | undefined;
  readonly attempts: number;
  readonly errorCode: string | undefined;
  readonly failedAttempts?: readonly FailedAttempt[] | undefined;
}

/** What is done as a call is closed; one of the last two comes once it is known what became of it. */
export interface Closing {
  /** What of the answer is stored in the same step; absent: nothing. */
  readonly keep?: ((closed: ClosedCall) => KeptAnswer) | undefined;
  /** May be told of the call while it is written, where its end is decided here; it must not throw. */
  readonly decided?: ((closed: ClosedCall) => void) | undefined;
  /** It is synced to disk. */
  readonly done: (closed: ClosedCall) => void;
  /** It is not written; as a rejection of `Ledger.close`. */
  readonly failed: (error: unknown) => void;
}

/** What became of a close that carries more than the call. */
export type SharedClose =
  | { readonly ok: true; readonly call: ClosedCall }
  /** The rest of the entry no longer applies: nothing was written and the hold is still open. */
  | { readonly ok: false; readonly reason: "conflict" | "missing" };

/** What of an answer is stored with its call's end. */
export interface KeptAnswer {
  readonly kept?: Kept;
  /** Why `kept` is not the answer itself, where nobody can be given that otherwise. */
  readonly unkept?: NoRoom | undefined;
}

/** What is stored with the end of most calls. */
const NOTHING_KEPT: KeptAnswer = {};

/**
 * A call with as much held as it used: its hold where that is enough, else with all that
 * the balance has for it. What other calls hold is theirs.
 */
function raisedToUse(
  call: OpenCall,
  { billable, saleE8 }: Pick<CallOutcome, "billable" | "saleE8">,
  availE8: AmountE8,
): OpenCall {
  const more = saleE8 - call.heldE8;
  if (more <= 0n || availE8 <= 0n || !billable || call.unlimited) return call;
  return { ...call, heldE8: call.heldE8 + (availE8 < more ? availE8 : more) };
}

/** What of its use neither a call's hold nor the balance has room for. */
export function missingE8(
  call: OpenCall,
  { billable, saleE8 }: Pick<CallOutcome, "billable" | "saleE8">,
  availE8: AmountE8,
): AmountE8 {
  if (!billable || call.unlimited) return 0n;
  const missing = saleE8 - call.heldE8;
  return missing > availE8 && missing > 0n ? missing : 0n;
}

/** Takes what a call has used beyond its hold, as far as the balance goes; the call with that held too. */
export function raiseHold(call: OpenCall, outcome: CallOutcome, purse: Purse): OpenCall {
  for (;;) {
    const raised = raisedToUse(call, outcome, purse.avail);
    // A thread may have been quicker.
    if (raised === call || purse.take(raised.heldE8 - call.heldE8)) return raised;
  }
}

/**
 * What is stored of an answer.
 *
 * @param undo Done before this throws what `keep` throws.
 */
export function keepOf(
  ended: ClosedCall,
  keep: ((closed: ClosedCall) => KeptAnswer) | undefined,
  undo: () => void,
): KeptAnswer {
  try {
    return keep?.(ended) ?? NOTHING_KEPT;
  } catch (error) {
    undo();
    throw error;
  }
}

/**
 * A call that ended. The project pays at most its hold, which the ledger has raised to
 * what was used as far as the balance goes; what is priced and not charged is the
 * operator's loss.
 */
export function closeCall(
  call: OpenCall,
  outcome: CallOutcome,
  at: number,
): ClosedCall {
  const { billable, saleE8, videoPercent: percent, terms, failedAttempts, ...facts } = outcome;
  const chargedE8 = !billable || call.unlimited ? 0n : saleE8 < call.heldE8 ? saleE8 : call.heldE8;
  const lossE8 = !billable ? saleE8 : call.unlimited ? 0n : saleE8 - chargedE8;
  return {
    ...call,
    ...(percent !== undefined && call.video !== undefined && { video: { ...call.video, percent } }),
    ...(terms !== undefined && { terms }),
    ...(failedAttempts !== undefined && { failedAttempts }),
    ...facts,
    saleE8,
    chargedE8,
    lossE8,
    state: billable ? "settled" : "released",
    closedAt: at,
  };
}

/**
 * A call whose process died before its outcome was known: the hold goes back,
 * and the operator's loss is at most what was held.
 */
export function closeAbandoned(call: OpenCall, at: number): ClosedCall {
  return {
    ...call,
    state: "released",
    result: "gateway_stopped",
    closedAt: at,
    firstByteMs: undefined,
    attempts: 0,
    work: NO_WORK,
    usageSource: "none",
    costE8: 0n,
    saleE8: 0n,
    chargedE8: 0n,
    lossE8: call.heldE8,
    errorCode: undefined,
  };
}

/** A closed call whose end could not be written, as `errorCode` says: nobody pays for it. */
export function asReleased(closed: ClosedCall, errorCode: string): ClosedCall {
  return {
    ...closed,
    state: "released",
    chargedE8: 0n,
    lossE8: closed.saleE8,
    errorCode,
  };
}

/**
 * A closed call whose answer nobody can be given, as there is no room to keep it. What its
 * project has filled itself is its own to empty: it pays for what was made for it. A full disk
 * is the operator's, and so is the loss.
 */
export function asUnkept(closed: ClosedCall, why: NoRoom): ClosedCall {
  return why === "disk"
    ? asReleased(closed, ANSWER_NOT_KEPT)
    : { ...closed, errorCode: ANSWER_NOT_KEPT };
}
