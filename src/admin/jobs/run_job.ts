/**
 * One job that this process runs, wherever jobs are kept.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { waitAtMost } from "../../domain/wait_at_most.ts";
import { GatewayError } from "../../errors.ts";
import { isUnderWay, type Job, type JobError, type JobStart } from "../base/job.ts";
import type { WorkProgress } from "../base/work_progress.ts";

/** What is kept of a job from one process to the next. */
export type KeptJob = Omit<Job, "progress" | "remainingMs" | "node">;

/** How a job has ended. */
export type JobEnd = Pick<KeptJob, "state" | "result" | "error" | "endedAt">;

/** What its work is done with. */
export interface WorkOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  /** Whether the process ends. */
  readonly isStopping: () => boolean;
  /** Hears why it failed that is no refusal. */
  readonly onFault: (error: unknown) => void;
}

/** The end of the process waits so long for jobs to end. */
const STOP_PATIENCE_MS = 2_000;
const ID_CHARACTERS = 26;

/** One that begins now, with an id of its own. */
export function newJob(start: Omit<JobStart, "run">, startedAt: number): KeptJob {
  return {
    id: `job_${randomName(ID_CHARACTERS)}`,
    ...{ ...start, startedAt, endedAt: undefined },
    ...{ state: "running", result: undefined, error: undefined },
  };
}

/** Whether one that is under way is what somebody asks for who gives this input. */
export function isSameInput(
  { state, input }: Pick<Job, "state" | "input">,
  asked: unknown,
): boolean {
  return state === "running" && JSON.stringify(input) === JSON.stringify(asked);
}

/** Why another one of its operation does not begin. */
export function otherUnderWay({ id, operation }: Pick<Job, "id" | "operation">): GatewayError {
  return new GatewayError(
    "conflict",
    `${operation} is under way already as ${id}: wait until it has ended, or cancel it ` +
      `(tollgate jobs cancel ${id})`,
  );
}

/** Waits for ends, but not for long. */
export function inTime(ends: Iterable<Promise<void>>): Promise<void> {
  return waitAtMost(STOP_PATIENCE_MS, Promise.all(ends));
}

/** A job that this process runs, or has run. */
export class RunJob {
  readonly abort = new AbortController();
  progress: WorkProgress | undefined;
  #stepBegun = 0;
  #stepDone = 0;

  constructor(public kept: KeptJob) {}

  /** Hears how far it is, at a time of the clock that never goes backwards. */
  tell(progress: WorkProgress, nowMs: number): void {
    const isFirst = this.progress?.step !== progress.step || this.progress.total !== progress.total;
    // What has one total for all of its steps goes on through them.
    const goesOn = this.progress !== undefined && this.progress.total === progress.total;
    if (isFirst && !goesOn) {
      this.#stepBegun = nowMs;
      this.#stepDone = progress.done;
    }
    this.progress = progress;
  }

  /** As it is at a time of that clock. */
  shown(nowMs: number): Job {
    const remainingMs = this.#remaining(nowMs);
    return { ...this.kept, progress: this.progress, remainingMs, node: undefined };
  }

  /** Does its work, and says how that ended; never rejects. */
  async work(run: JobStart["run"], { clock, isStopping, onFault }: WorkOptions): Promise<JobEnd> {
    const { signal } = this.abort;
    let end: Omit<JobEnd, "endedAt">;
    try {
      const result = await run({
        signal,
        onProgress: (progress) => this.tell(progress, clock.monotonic()),
      });
      end = { state: "completed", result, error: undefined };
    } catch (error) {
      if (!signal.aborted && !(error instanceof GatewayError)) onFault(error);
      end = signal.aborted
        ? {
          state: isStopping() && this.kept.state === "running" ? "interrupted" : "cancelled",
          ...{ result: undefined, error: undefined },
        }
        : { state: "failed", result: undefined, error: wordsOf(error) };
    }
    return { ...end, endedAt: clock.now() };
  }

  #remaining(nowMs: number): number | undefined {
    if (!isUnderWay(this.kept) || this.progress?.total === undefined) return undefined;
    const { done, total } = this.progress;
    const fresh = done - this.#stepDone;
    if (fresh <= 0) return undefined;
    return Math.round((nowMs - this.#stepBegun) * (total - done) / fresh);
  }
}

function wordsOf(error: unknown): JobError {
  if (error instanceof GatewayError) return { code: error.code, message: error.message };
  return {
    code: "internal_error",
    message: "The gateway failed at this: its operator finds the cause in the log by the job's id",
  };
}
