/**
 * What an attempt tells of its route.
 *
 * @module
 */

import type { AttemptFailure } from "../domain/attempt_failure.ts";
import type { OperatorFault } from "../domain/operator_fault.ts";

/** One attempt's outcome. Attempts are sampled, not calls: a retried call leaves several. */
export type AttemptSample =
  & {
    /** Monotonic milliseconds at which the attempt began. */
    readonly startedAt: number;
    /** Whose request it was: what befalls one project alone may be of its own making. */
    readonly projectId?: string | undefined;
  }
  & (
    | {
      readonly outcome: "success";
      /** To the first byte; for streams. */
      readonly firstByteMs?: number | undefined;
      /** To the end; for calls that are not streamed, whose length a client waits for. */
      readonly totalMs?: number | undefined;
    }
    | {
      readonly outcome: AttemptFailure;
      /** The upstream's; a doubtful refusal is the same as another of its status. */
      readonly status?: number | undefined;
      /** What the upstream refuses of the operator's; for `operator`. */
      readonly fault?: OperatorFault | undefined;
      /** What a `busy` upstream asked for. */
      readonly retryAfterSeconds?: number | undefined;
    }
  );

/** Outcomes that tell nothing of a route. */
export const SAYS_NOTHING: ReadonlySet<AttemptSample["outcome"]> = new Set([
  "caller",
  "oversized",
  "starved",
  "aborted",
]);
