/**
 * What happens to video tasks on their way, for the operator's log: without
 * prompts, and without secrets.
 *
 * @module
 */

import type { UpstreamError } from "../../domain/upstream_error.ts";

/** Why no task is begun for now. */
export type RunnerPause = "disk_full" | "stopping";

/** The task and attempt that an event is about. */
export interface AttemptName {
  readonly taskId: string;
  readonly requestId: string;
  readonly provider: string;
  readonly route: string;
  readonly attempt: number;
}

/** What there is to tell of an attempt, by what happened. */
interface AttemptEvents {
  readonly claimed: object;
  /** The upstream took the job and named it. */
  readonly job_started: { readonly job: string };
  /** The upstream's word for its job's status is none that we know: in progress. Once in each attempt. */
  readonly unknown_status: { readonly job: string; readonly status: string };
  /** The upstream could not be asked after its job: that says nothing about the job. */
  readonly poll_failed: { readonly inARow: number; readonly error: UpstreamError };
  /** A download broke off and goes on. */
  readonly download_cut: { readonly bytes: number; readonly error: UpstreamError };
  /** `failures`: of the task so far, this one included if it counts. */
  readonly attempt_failed: { readonly failures: number; readonly error: UpstreamError };
  readonly postponed: { readonly waitMs: number; readonly why: string };
  readonly rerouted: { readonly toRoute: string };
  /** A task whose attempt ended with its process, or stopped showing signs of life. */
  readonly rescued: { readonly why: "restart" | "stuck" };
  /** A renderer's Worker did not answer any more. */
  readonly abandoned_worker: { readonly message: string };
  readonly completed: { readonly bytes: number };
  readonly failed: { readonly code: string; readonly isBilled: boolean };
  /** The upstream goes on with a job that nobody wants any more. */
  readonly cancel_failed: { readonly job: string; readonly error: unknown };
}

/** One thing that happened. */
export type RunnerEvent =
  | {
    [Kind in keyof AttemptEvents]: { readonly kind: Kind } & AttemptEvents[Kind] & AttemptName;
  }[keyof AttemptEvents]
  | { readonly kind: "paused" | "resumed"; readonly why: RunnerPause }
  /** A fault of the program or of storage: the task is left as it was and tried again. */
  | { readonly kind: "trouble"; readonly taskId: string | undefined; readonly error: unknown };

/** Takes events in. */
export type OnRunnerEvent = (event: RunnerEvent) => void;
