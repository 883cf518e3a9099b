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

/** One thing that happened. */
export type RunnerEvent =
  | ({ readonly kind: "claimed" } & AttemptName)
  /** The upstream took the job and named it. */
  | ({ readonly kind: "job_started"; readonly job: string } & AttemptName)
  /**
   * The upstream's word for its job's status is none that we know; it counts as in
   * progress. Once in each attempt.
   */
  | (
    & { readonly kind: "unknown_status"; readonly job: string; readonly status: string }
    & AttemptName
  )
  /** The upstream could not be asked after its job: that says nothing about the job. */
  | (
    & { readonly kind: "poll_failed"; readonly inARow: number; readonly error: UpstreamError }
    & AttemptName
  )
  /** A download broke off and goes on. */
  | (
    & { readonly kind: "download_cut"; readonly bytes: number; readonly error: UpstreamError }
    & AttemptName
  )
  | (
    & {
      readonly kind: "attempt_failed";
      /** Failures of the task so far, this one included if it counts. */
      readonly failures: number;
      readonly error: UpstreamError;
    }
    & AttemptName
  )
  | ({ readonly kind: "postponed"; readonly waitMs: number; readonly why: string } & AttemptName)
  | ({ readonly kind: "rerouted"; readonly toRoute: string } & AttemptName)
  /** A task whose attempt ended with its process, or stopped showing signs of life. */
  | ({ readonly kind: "rescued"; readonly why: "restart" | "stuck" } & AttemptName)
  /** A renderer's Worker did not answer any more. */
  | ({ readonly kind: "abandoned_worker"; readonly message: string } & AttemptName)
  | ({ readonly kind: "completed"; readonly bytes: number } & AttemptName)
  | ({ readonly kind: "failed"; readonly code: string; readonly isBilled: boolean } & AttemptName)
  /** The upstream goes on with a job that nobody wants any more. */
  | (
    & { readonly kind: "cancel_failed"; readonly job: string; readonly error: unknown }
    & AttemptName
  )
  | { readonly kind: "paused" | "resumed"; readonly why: RunnerPause }
  /** A fault of the program or of storage: the task is left as it was and tried again. */
  | { readonly kind: "trouble"; readonly taskId: string | undefined; readonly error: unknown };

/** Takes events in. */
export type OnRunnerEvent = (event: RunnerEvent) => void;
