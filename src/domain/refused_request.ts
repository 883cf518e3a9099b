/**
 * Requests that were refused before they became calls: throttled, out of money, not allowed, not to be
 * served by any route. No upstream heard of them and nothing was held.
 *
 * @module
 */

import type { LeftOutRoute } from "./call.ts";
import type { Capability } from "./capabilities.ts";

/** One of them, as it is kept for a while. */
export interface RefusedRequest {
  /** The number behind its id, in one order with those of calls. */
  readonly callId: number;
  readonly requestId: string;
  /** Empty where its key told of none. */
  readonly projectId: string;
  readonly keyId: string;
  readonly capability: Capability;
  /** As its caller named it, where that looks like a name; else empty. */
  readonly model: string;
  /** `error.code`. */
  readonly reason: string;
  /** What decided, such as `project_requests_per_minute` or `cooling_down`; empty where the reason says all. */
  readonly why: string;
  /** HTTP status. */
  readonly status: number;
  /** The field at fault; empty for none. */
  readonly param: string;
  /** What its caller was told, where that tells nothing of what was in the request; else empty. */
  readonly message: string;
  /** Why no route served it, the first ones; absent where it was not for that, or by an earlier version. */
  readonly leftOut?: readonly LeftOutRoute[] | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** How often one project's key was refused something for one reason in an hour. */
export interface RefusalSum {
  /** Hours since the epoch. */
  readonly hour: number;
  readonly projectId: string;
  readonly keyId: string;
  /** A model of the catalogue; empty for none. */
  readonly model: string;
  readonly reason: string;
  readonly why: string;
  readonly refusals: number;
  /** The last of them; milliseconds since the epoch. */
  readonly lastAt: number;
}

/** Single refused requests that are kept of each project: the last ones. */
export const MOST_KEPT_REFUSED = 200;
/** Sums of one project and hour, beyond which more keys, models and causes are counted together. */
export const MOST_REFUSAL_SUMS = 100;
/** Hours that sums are kept for. */
export const REFUSAL_HOURS = 31 * 24;
