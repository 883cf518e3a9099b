/**
 * The one record each call leaves for telemetry: log, metrics and rollups
 * subscribe to it.
 *
 * @module
 */

import type { ClosedCall } from "../domain/call.ts";

/** A call that has ended, as telemetry sees it. No prompt, key or secret is in it. */
export interface CallRecord {
  readonly call: ClosedCall;
  /** The HTTP status the caller saw; 200 for a stream that broke off later. */
  readonly status: number;
  /** From the request's arrival to its end. */
  readonly milliseconds: number;
  /** Of whoever asked; absent: not known. */
  readonly address?: string | undefined;
  /** Why its route came before others, where a reason of the request itself decided. */
  readonly placed?: "sticky";
}
