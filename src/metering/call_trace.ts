/**
 * How a call tells whoever traces it of its steps. Nobody is told where nothing is traced.
 *
 * @module
 */

import type { Route } from "../domain/catalogue.ts";
import type { Capability } from "../domain/capabilities.ts";
import type { UpstreamError } from "../domain/upstream_error.ts";
import type { CallRecord } from "./call_record.ts";

/** What is known of a call when it begins. */
export interface TracedCall {
  /** What its request is known by: where it came with a trace, that is found by it. */
  readonly note: object;
  readonly capability: Capability;
  readonly requestId: string;
  readonly projectId: string;
  /** Monotonic milliseconds. */
  readonly arrivedAt: number;
  /** What requests to upstreams are made with: theirs say which trace they are of. */
  readonly upstreamSignal: AbortSignal;
}

/** One call's trace. */
export interface CallTrace {
  attempt(route: Route): void;
  attemptFailed(error: UpstreamError): void;
  /** The answer is there: what follows is its price, and to write that. */
  settling(): void;
  ended(record: CallRecord): void;
  /** Its end could not be worked out or stored. */
  broken(): void;
}

/** Begins the trace of a call. */
export type TraceCall = (call: TracedCall) => CallTrace;
