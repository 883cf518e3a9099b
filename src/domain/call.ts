/**
 * One metered call, from its hold to its outcome, and the ledger rows it leaves; what a film costs that
 * its owner deletes while it is made.
 *
 * @module
 */

import type { BookId } from "./book.ts";
import type { Capability } from "./capabilities.ts";
import type { AmountE8 } from "./money.ts";
import type { Tags } from "./tags.ts";
import { type Terms, videoTerms } from "./terms.ts";
import type { Bought } from "./rates_for.ts";
import type { UsageSource, Work } from "./work.ts";

/** The film that a call of capability `videos` buys. */
export interface VideoWork {
  /** `<width>x<height>` in pixels. */
  readonly size: string;
  readonly seconds: number;
  /** How much of it is paid for, 1 to 99; absent for the whole film. Of closed calls only. */
  readonly percent?: number;
}

/** A call whose hold is taken and whose outcome is open. */
export interface OpenCall {
  /** Rising integer, unique in the database; the key of the row. */
  readonly callId: number;
  /** What the caller sees as `x-request-id`; made here, never the caller's. */
  readonly requestId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly capability: Capability;
  /** Logical model id. */
  readonly model: string;
  readonly provider: string;
  readonly route: string;
  /** Version of the route's prices that this call is settled with. */
  readonly priceVersion: number;
  /** Amount held from the project; 0 for an unlimited project. */
  readonly heldE8: AmountE8;
  /** Whether the project was unlimited when the hold was taken: then nothing is charged. */
  readonly unlimited: boolean;
  readonly stream: boolean;
  /** Milliseconds since the epoch. */
  readonly openedAt: number;
  /**
   * What the open call of an unlimited project counts against budgets, as it holds
   * nothing. Not stored: known to the process that opened the call.
   */
  readonly reservedE8?: AmountE8 | undefined;
  /** What a rate per second applies to; videos only. */
  readonly video?: VideoWork | undefined;
  /** What its price depends on besides counts, as far as it is told and prices ask for it. */
  readonly terms?: Terms | undefined;
  /** What its caller calls it by; absent: nothing. */
  readonly tags?: Tags | undefined;
  /** The batch that it is a line of; absent: none. */
  readonly batchId?: string | undefined;
  /** Where its conversation's sealed thoughts are from; absent: it gives none back that are known. */
  readonly sticky?: Sticky | undefined;
  /** How its route was chosen; absent: every route could serve it, in the usual order. */
  readonly decision?: Decision | undefined;
}

/** How the routes of a call were chosen among, where that is more than taking them in their usual order. */
export interface Decision {
  /** The caller's `routing_preference`; absent: none. */
  readonly preference?: string;
  /** Routes that could serve, in the order in which they were to be tried, each with why it stood there. */
  readonly ranked: readonly (readonly [route: string, place: string])[];
  /** Routes that could not. */
  readonly leftOut: readonly LeftOutRoute[];
}

/**
 * A route that could not serve, with its reason; of one that an operator had switched off also since
 * when and why, which no caller may see.
 */
export type LeftOutRoute = readonly [route: string, reason: string, said?: string];

/** Routes of either kind that are kept of one decision: the first ones. */
export const MOST_DECIDED_ROUTES = 12;

/** The route that a conversation is to stay on. */
export interface Sticky {
  /** Its id; the call's own where it could stay. */
  readonly route: string;
  /** The end of the seal that says so. */
  readonly seal: string;
}

/** How a call ended for money's sake: exactly one of the two. */
export type CallState = "settled" | "released";

/** How a call ended for its caller. */
export type CallResult =
  | "completed"
  | "client_aborted"
  | "upstream_failed"
  /** The request itself was refused, by an upstream or for it: nobody else would have taken it. */
  | "refused"
  | "gateway_stopped";

/**
 * `errorCode` of a completed call whose answer was asked for later and could not be kept till
 * then: its project pays, unless it is `released`.
 */
export const ANSWER_NOT_KEPT = "answer_not_kept";

/** An attempt that came to nothing, as the operator sees it. */
export interface FailedAttempt {
  readonly route: string;
  /** What kind of failure it was, such as `broken`. */
  readonly failure: string;
  /** The upstream's status; absent when there was no answer. */
  readonly status?: number | undefined;
  /** Milliseconds that it took. */
  readonly ms: number;
  /** What the upstream said, without what it quotes of the request. */
  readonly message: string;
}

/** Failed attempts that are kept of one call: the first ones. */
export const MOST_FAILED_ATTEMPTS = 12;
/** Characters of a message that are kept. */
export const MOST_FAILURE_CHARACTERS = 300;

/** A call with its outcome: what the usage row keeps and `GET /v1/calls/{id}` tells. */
export interface ClosedCall extends OpenCall {
  readonly state: CallState;
  readonly result: CallResult;
  /** Milliseconds since the epoch. */
  readonly closedAt: number;
  /** Milliseconds to the first upstream byte; `undefined` if none came. */
  readonly firstByteMs: number | undefined;
  /** Upstream attempts made, over all routes. */
  readonly attempts: number;
  /** What it bought, besides its film. */
  readonly work: Work;
  readonly usageSource: UsageSource;
  /** What the operator pays for the usage. */
  readonly costE8: AmountE8;
  /** What the usage is priced at for the project. */
  readonly saleE8: AmountE8;
  /** What the project pays: at most the hold, 0 when unlimited or released. */
  readonly chargedE8: AmountE8;
  /** What the operator loses on this call: priced, but not to be charged. */
  readonly lossE8: AmountE8;
  /** `error.code` when the call failed. */
  readonly errorCode: string | undefined;
  /** The attempts that failed before it was served or given up; absent: none. */
  readonly failedAttempts?: readonly FailedAttempt[] | undefined;
}

/** What a closed call is priced by, its film included. */
export function boughtBy(
  { work, video, terms }: Pick<ClosedCall, "work" | "video" | "terms">,
): Bought {
  if (video === undefined) return { work, terms };
  const { size, seconds, percent } = video;
  return { work: { ...work, second: seconds }, terms: { ...terms, ...videoTerms(size) }, percent };
}

/** A stored call: open or closed. */
export type StoredCall = (OpenCall & { readonly state: "open" }) | ClosedCall;

/** What a ledger row records. Only `credit` and `settle` change a balance. */
export type LedgerKind = "credit" | "settle" | "release" | "loss";

/** One row of the append-only ledger. */
export interface LedgerRow {
  readonly book: BookId;
  /** 1, 2, 3 … without gaps in its book. */
  readonly seq: number;
  readonly projectId: string;
  readonly kind: LedgerKind;
  /** Non-negative; added for `credit`, subtracted for `settle`. */
  readonly amountE8: AmountE8;
  /** What the project's rows of the book add up to, this one included: its balance, where there is one book. */
  readonly balanceAfterE8: AmountE8;
  /** The call it belongs to; `undefined` for a credit. */
  readonly callId: number | undefined;
  /** The operator's reference of a credit, which makes it safe to repeat. */
  readonly reference: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/**
 * - `free`: nothing; what an upstream has begun is the operator's loss.
 * - `progress`: as many percent of its price as it says that are done.
 * - `full`: its price.
 */
export const DELETED_VIDEO_CHARGES = ["free", "progress", "full"] as const;

/** See {@linkcode DELETED_VIDEO_CHARGES}. */
export type DeletedVideoCharge = typeof DELETED_VIDEO_CHARGES[number];

/** The film of a call, as whoever looks the call up sees it. */
export interface BilledVideo extends VideoWork {
  /**
   * Of a film that was deleted before it was there: what was charged of it. `free` also where
   * nothing of it was made yet.
   */
  readonly deleted?: DeletedVideoCharge;
}

/** The film that a call bought, and what became of its price if it was deleted; other calls have none. */
export function billedVideo(call: StoredCall): BilledVideo | undefined {
  const { video } = call;
  if (video === undefined || call.state === "open" || call.result !== "client_aborted") {
    return video;
  }
  if (call.state === "released") return { ...video, deleted: "free" };
  return { ...video, deleted: video.percent === undefined ? "full" : "progress" };
}
