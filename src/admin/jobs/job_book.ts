/**
 * Keeps the jobs: those under way, and the last ones that have ended.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { GatewayError } from "../../errors.ts";
import { type AdminJobs, isUnderWay, type Job, type JobStart } from "../base/job.ts";
import { inTime, isSameInput, type KeptJob, newJob, otherUnderWay, RunJob } from "./run_job.ts";

export type { KeptJob } from "./run_job.ts";

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

/** Keeps the jobs of one process, and what earlier ones of its data dir have left. */
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
      if (isSameInput(other.kept, input)) return other.shown(clock.monotonic());
      throw otherUnderWay(other.kept);
    }
    const job = new RunJob(newJob({ operation, role, input, startedBy }, clock.now()));
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
    await inTime(this.#ends);
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
    const end = await job.work(run, {
      clock,
      isStopping: () => this.#isStopping,
      onFault: (error) => onFault(job.kept.id, error),
    });
    job.kept = { ...job.kept, ...end };
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
