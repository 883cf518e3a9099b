/**
 * Keeps the jobs: those under way, and the last ones that have ended.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { randomName } from "../../domain/ids.ts";
import { GatewayError } from "../../errors.ts";
import type { WorkProgress } from "../base/work_progress.ts";
import { type AdminJobs, isUnderWay, type Job, type JobError, type JobStart } from "../base/job.ts";

/** What is kept of a job from one process to the next. */
export type KeptJob = Omit<Job, "progress" | "remainingMs">;

/** Where jobs are kept. */
export interface JobShelf {
  /** What an earlier process has kept, oldest first. */
  read(): readonly KeptJob[];
  /** Keeps the jobs as they are when it is written. */
  write(jobs: () => readonly KeptJob[]): Promise<void>;
}

/** What the book works with. */
export interface JobBookOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly shelf: JobShelf;
  /** Hears why a job failed that is no refusal: whoever started it is told nothing of that. */
  readonly onFault: (id: string, error: unknown) => void;
}

/** Jobs that are remembered when they have ended. */
export const MOST_ENDED = 100;
/** Characters of results that are kept, together. */
export const MOST_RESULT_CHARACTERS = 8 * 1024 ** 2;
/** The end of the process waits so long for jobs to end. */
const STOP_PATIENCE_MS = 2_000;
const ID_CHARACTERS = 26;

/** A job that this process runs, or has run. */
class RunJob {
  readonly abort = new AbortController();
  progress: WorkProgress | undefined;
  #stepBegun = 0;
  #stepDone = 0;

  constructor(public kept: KeptJob) {}

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

  shown(nowMs: number): Job {
    return { ...this.kept, progress: this.progress, remainingMs: this.#remaining(nowMs) };
  }

  #remaining(nowMs: number): number | undefined {
    if (!isUnderWay(this.kept) || this.progress?.total === undefined) return undefined;
    const { done, total } = this.progress;
    const fresh = done - this.#stepDone;
    if (fresh <= 0) return undefined;
    return Math.round((nowMs - this.#stepBegun) * (total - done) / fresh);
  }
}

export class JobBook implements AdminJobs {
  readonly #options: JobBookOptions;
  /** Oldest first; read when it is first asked for. */
  #jobs: Map<string, RunJob> | undefined;
  readonly #ends = new Set<Promise<void>>();
  #isStopping = false;

  constructor(options: JobBookOptions) {
    this.#options = options;
  }

  start({ operation, role, input, startedBy, run }: JobStart): Job {
    if (this.#isStopping) throw new GatewayError("shutting_down", "The gateway is stopping");
    const { clock } = this.#options;
    const other = [...this.#all.values()].find(({ kept }) =>
      kept.operation === operation && isUnderWay(kept)
    );
    if (other !== undefined) {
      const { kept: { id, state, input: asked } } = other;
      if (state === "running" && JSON.stringify(asked) === JSON.stringify(input)) {
        return other.shown(clock.monotonic());
      }
      throw new GatewayError(
        "conflict",
        `${operation} is under way already as ${id}: wait until it has ended, or cancel it ` +
          `(tollgate jobs cancel ${id})`,
      );
    }
    const job = new RunJob({
      id: `job_${randomName(ID_CHARACTERS)}`,
      ...{ operation, role, input, startedBy, startedAt: clock.now(), endedAt: undefined },
      ...{ state: "running", result: undefined, error: undefined },
    });
    this.#all.set(job.kept.id, job);
    const end = this.#work(job, run).finally(() => this.#ends.delete(end));
    this.#ends.add(end);
    void this.#write();
    return job.shown(clock.monotonic());
  }

  list(): readonly Job[] {
    const nowMs = this.#options.clock.monotonic();
    return [...this.#all.values()].reverse().map((job) => job.shown(nowMs));
  }

  find(id: string): Job | undefined {
    return this.#all.get(id)?.shown(this.#options.clock.monotonic());
  }

  cancel(id: string): Job | undefined {
    const job = this.#all.get(id);
    if (job?.kept.state === "running") {
      job.kept = { ...job.kept, state: "cancelling" };
      job.abort.abort();
    }
    return this.find(id);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    // Whoever never asked has nothing to write either.
    if (this.#jobs === undefined) return;
    for (const { abort, kept } of this.#jobs.values()) {
      if (isUnderWay(kept)) abort.abort();
    }
    let patience: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([
      Promise.all(this.#ends),
      new Promise((resolve) => patience = setTimeout(resolve, STOP_PATIENCE_MS)),
    ]);
    clearTimeout(patience);
    if (this.#hasChanged) await this.#write();
  }

  #hasChanged = false;

  get #all(): Map<string, RunJob> {
    if (this.#jobs !== undefined) return this.#jobs;
    const kept = this.#options.shelf.read().map((job): KeptJob =>
      isUnderWay(job) ? { ...job, state: "interrupted" } : job
    );
    return this.#jobs = new Map(kept.map((job) => [job.id, new RunJob(job)]));
  }

  async #work(job: RunJob, run: JobStart["run"]): Promise<void> {
    const { clock, onFault } = this.#options;
    const { signal } = job.abort;
    let end: Pick<KeptJob, "state" | "result" | "error">;
    try {
      const result = await run({
        signal,
        onProgress: (progress) => job.tell(progress, clock.monotonic()),
      });
      end = { state: "completed", result, error: undefined };
    } catch (error) {
      if (!signal.aborted && !(error instanceof GatewayError)) onFault(job.kept.id, error);
      end = signal.aborted
        ? {
          state: this.#isStopping && job.kept.state === "running" ? "interrupted" : "cancelled",
          ...{ result: undefined, error: undefined },
        }
        : { state: "failed", result: undefined, error: wordsOf(error) };
    }
    job.kept = { ...job.kept, ...end, endedAt: clock.now() };
    this.#forget();
    await this.#write();
  }

  /** Leaves out the oldest that have ended, and older results where all are long. */
  #forget(): void {
    const ended = [...this.#all.values()].filter(({ kept }) => !isUnderWay(kept)).reverse();
    for (const { kept } of ended.slice(MOST_ENDED)) this.#all.delete(kept.id);
    let characters = 0;
    for (const job of ended.slice(0, MOST_ENDED)) {
      characters += JSON.stringify(job.kept.result)?.length ?? 0;
      if (characters > MOST_RESULT_CHARACTERS) job.kept = { ...job.kept, result: undefined };
    }
  }

  #write(): Promise<void> {
    this.#hasChanged = true;
    return this.#options.shelf.write(() => [...this.#all.values()].map(({ kept }) => kept));
  }
}

function wordsOf(error: unknown): JobError {
  if (error instanceof GatewayError) return { code: error.code, message: error.message };
  return {
    code: "internal_error",
    message: "The gateway failed at this: its operator finds the cause in the log by the job's id",
  };
}
