/**
 * Refused requests: what is asked for and what is answered.
 *
 * @module
 */

import type { Capability } from "../../domain/capabilities.ts";

/** Which single requests, newest first; absent filters let everything through. */
export interface RefusedPageQuery {
  readonly projectId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly capability?: Capability | undefined;
  readonly model?: string | undefined;
  /** `error.code`. */
  readonly reason?: string | undefined;
  /** A part of the request id. */
  readonly idText?: string | undefined;
  /** Refused at this time or later; milliseconds since the epoch. */
  readonly fromMs?: number | undefined;
  /** Refused before this time. */
  readonly toMs?: number | undefined;
  /** Only those with a smaller number. */
  readonly beforeCallId?: number | undefined;
  readonly limit: number;
}

/** What sums can be grouped by. */
export type RefusalGroup = "project" | "key" | "model" | "reason" | "hour" | "day";

/** Which sums. */
export interface RefusalQuery {
  readonly by: readonly RefusalGroup[];
  readonly projectId?: string | undefined;
  readonly keyId?: string | undefined;
  readonly model?: string | undefined;
  readonly reason?: string | undefined;
  /** Hours since the epoch. */
  readonly fromHour?: number | undefined;
  /** Before this hour. */
  readonly toHour?: number | undefined;
  readonly limit: number;
}

/** Sums of one group, with what it is grouped by; empty texts are unknown. */
export interface RefusalLine {
  readonly projectId?: string;
  readonly keyId?: string;
  readonly model?: string;
  readonly reason?: string;
  readonly why?: string;
  readonly hour?: number;
  readonly day?: number;
  readonly refusals: number;
  /** Milliseconds since the epoch. */
  readonly lastAt: number;
}
