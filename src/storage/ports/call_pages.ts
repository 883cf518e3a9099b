/**
 * Pages of calls: what is asked for and what is answered.
 *
 * @module
 */

import type { Capability } from "../../domain/capabilities.ts";
import type { CallResult, StoredCall } from "../../domain/call.ts";
import type { AmountE8 } from "../../domain/money.ts";
import type { Tags } from "../../domain/tags.ts";

/** How calls are told apart: `open` ones have no result yet. */
export type CallOutcome = "open" | CallResult;

/** Which calls, newest arrival first; absent filters let everything through. */
export interface CallPageQuery {
  readonly projectId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly capability?: Capability | undefined;
  readonly model?: string | undefined;
  readonly provider?: string | undefined;
  readonly route?: string | undefined;
  readonly batchId?: string | undefined;
  /** Any of these. */
  readonly outcomes?: readonly CallOutcome[] | undefined;
  readonly errorCode?: string | undefined;
  /** Calls that have all of these tags. */
  readonly tags?: Tags | undefined;
  /** A part of the request id. */
  readonly idText?: string | undefined;
  /** The call of this number alone. */
  readonly callId?: number | undefined;
  /** Longer than so many milliseconds from their hold to their end. */
  readonly slowerThanMs?: number | undefined;
  /** Priced at more than this. */
  readonly dearerThanE8?: AmountE8 | undefined;
  /** Opened at this time or later; milliseconds since the epoch. */
  readonly fromMs?: number | undefined;
  /** Opened before this time. */
  readonly toMs?: number | undefined;
  /** Only calls with a smaller id. */
  readonly beforeCallId?: number | undefined;
  readonly limit: number;
  /** The most rows that are looked at. */
  readonly mostRows: number;
  /** The longest that is looked, in milliseconds. */
  readonly withinMs: number;
}

/** Where looking for calls stopped before there were enough, or an end. */
export interface CallPageCut {
  /** The last call that was looked at: a page goes on behind it. */
  readonly callId: number;
  readonly requestId: string;
  readonly openedAt: number;
  /** Rows that were looked at. */
  readonly rows: number;
}

/** A page of calls. */
export interface CallPage {
  /** At most `limit`. */
  readonly calls: readonly StoredCall[];
  readonly cut: CallPageCut | undefined;
}
