/**
 * The contract of what makes films: here, or at an upstream. A child process
 * could stand in.
 *
 * @module
 */

import type { UpstreamError } from "../../domain/upstream_error.ts";
import type { Attempt } from "../task/attempt.ts";
import type { PartFile } from "../../files/part_file.ts";

/** How an attempt's work ended. */
export type AttemptEnd =
  /** The whole film is in the part. */
  | { readonly kind: "content"; readonly part: PartFile; readonly hasThumbnail: boolean }
  /** No attempt will make this film: the caller reads why. */
  | { readonly kind: "hopeless"; readonly code: string; readonly message: string }
  /** Another attempt may. */
  | {
    readonly kind: "broken";
    readonly error: UpstreamError;
    /** Whether the upstream's job is of no more use. */
    readonly dropsJob: boolean;
    /** Whether the upstream may make the film although it has not said so. Default: as the task says. */
    readonly mayHaveBegun?: boolean;
  }
  /** Nothing failed, but it cannot be now. */
  | { readonly kind: "postponed"; readonly waitMs: number; readonly why: string }
  /**
   * The disk has no room for now: the next attempt waits, longer each time. What is on disk
   * is removed unless it is kept for that.
   */
  | { readonly kind: "no_room"; readonly keepsPart: boolean }
  /** The attempt was told to end. */
  | { readonly kind: "stopped" };

/** The end of an attempt that was told to. */
export const STOPPED: AttemptEnd = Object.freeze({ kind: "stopped" });

/** Makes the film of an attempt's task. */
export interface Executor {
  /**
   * Works until the film is there, cannot be made, or `attempt.signal` fires.
   *
   * @throws What nobody expected: it counts as a failed attempt.
   */
  run(attempt: Attempt): Promise<AttemptEnd>;
}
