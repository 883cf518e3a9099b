/**
 * Jobs of all processes that use one database server: any of them starts, shows and cancels one, and the
 * one that has started it runs it.
 *
 * @module
 */

import { type AdminJobs, isUnderWay, type Job, type JobStart } from "../../admin/base/job.ts";
import type { WorkProgress } from "../../admin/base/work_progress.ts";
import { MOST_ENDED, MOST_RESULT_CHARACTERS } from "../../admin/jobs/job_book.ts";
import {
  inTime,
  isSameInput,
  type KeptJob,
  newJob,
  otherUnderWay,
  RunJob,
} from "../../admin/jobs/run_job.ts";
import type { Clock } from "../../domain/clock.ts";
import { Turns } from "../../domain/turns.ts";
import { GatewayError } from "../../errors.ts";
import type { SharedJob, SharedJobs, SharedJobStart } from "../../storage/ports/shared_jobs.ts";

/** What the book works with. */
export interface SharedJobBookOptions {
  readonly clock: Pick<Clock, "now" | "monotonic">;
  readonly jobs: SharedJobs;
  /** Hears why a job failed that is no refusal: whoever started it is told nothing of that. */
  readonly onFault: (id: string, error: unknown) => void;
  /** Hears once of each job why its end could not be written at once. */
  readonly onUnwritten: (id: string, error: unknown) => void;
  /** Resolves when others are to be told again how far a job is, and to be heard. Default: in a second. */
  readonly nextTurn?: () => Promise<void>;
}

const TURN_MS = 1_000;
/** Beginnings of which nobody knows whether they are written: with so many no more is begun. */
const MOST_IN_DOUBT = 10;
const BOUNDS = { ended: MOST_ENDED, characters: MOST_RESULT_CHARACTERS };

type Facts = Pick<KeptJob, "role" | "input" | "startedBy">;
type Far = Pick<Job, "progress" | "remainingMs">;

/** As one process sees them. It asks nothing by itself while it runs none. */
export class SharedJobBook implements AdminJobs {
  readonly #options: SharedJobBookOptions;
  /** Those that this process runs, from before they are stored until their end is. */
  readonly #own: Map<string, RunJob> = new Map();
  readonly #ends = new Set<Promise<void>>();
  #inDoubt = 0;
  /** One at a time: whoever starts says which jobs of this session are run, all others are nobody's. */
  readonly #starts = new Turns(1);
  #isStopping = false;

  constructor(options: SharedJobBookOptions) {
    this.#options = options;
  }

  start(job: JobStart): Promise<Job> {
    return this.#starts.take(() => this.#begin(job));
  }

  async list(): Promise<readonly Job[]> {
    return (await this.#options.jobs.list()).map((job) => this.#shown(job));
  }

  async find(id: string): Promise<Job | undefined> {
    const stored = await this.#options.jobs.find(id);
    return stored && this.#shown(stored);
  }

  async cancel(id: string): Promise<Job | undefined> {
    await this.#options.jobs.cancel(id);
    const job = this.#own.get(id);
    if (job !== undefined) cancelHere(job);
    return await this.find(id);
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const { abort } of this.#own.values()) abort.abort();
    await inTime(this.#ends);
  }

  async #begin({ run, ...start }: JobStart): Promise<Job> {
    this.#refuseStopping();
    if (this.#inDoubt >= MOST_IN_DOUBT) throw tooManyInDoubt();
    const { clock, jobs } = this.#options;
    const job = new RunJob(newJob(start, clock.now()));
    const { id, operation, startedAt, ...kept } = job.kept;
    const facts: Facts = { role: kept.role, input: kept.input, startedBy: kept.startedBy };
    this.#own.set(id, job);
    const asked = { id, operation, startedAt, facts: JSON.stringify(facts) };
    let stored: SharedJob | undefined;
    let isSent = false;
    try {
      stored = await jobs.start(asked, [...this.#own.keys()], () => isSent = true);
    } catch (error) {
      if (isSent) this.#follow(this.#giveUp(asked));
      else this.#own.delete(id);
      throw error;
    }
    if (stored?.id === id) {
      this.#follow(this.#work(job, run));
      return this.#shown(stored);
    }
    this.#own.delete(id);
    if (stored === undefined) throw new GatewayError("shutting_down", "The gateway is stopping");
    const other = this.#shown(stored);
    if (isSameInput(other, jsonOf(start.input))) return other;
    throw otherUnderWay(other);
  }

  /** Perhaps it is stored all the same, or will be in a moment: nobody runs it. */
  async #giveUp(asked: SharedJobStart): Promise<void> {
    const { clock, jobs } = this.#options;
    this.#inDoubt++;
    try {
      await this.#write(asked.id, () => jobs.giveUp(asked, clock.now(), BOUNDS));
    } finally {
      this.#inDoubt--;
    }
  }

  #refuseStopping(): void {
    if (this.#isStopping) throw new GatewayError("shutting_down", "The gateway is stopping");
  }

  #follow(end: Promise<void>): void {
    const followed = end.finally(() => this.#ends.delete(followed));
    this.#ends.add(followed);
  }

  async #work(job: RunJob, run: JobStart["run"]): Promise<void> {
    const { clock, onFault } = this.#options;
    const { id } = job.kept;
    if (this.#isStopping) job.abort.abort();
    const work = job.work(run, {
      clock,
      isStopping: () => this.#isStopping,
      onFault: (error) => onFault(id, error),
    });
    const ended = new AbortController();
    const told = this.#tellOthers(job, ended.signal);
    const end = await work;
    ended.abort();
    await told;
    await this.#end(job, end);
  }

  /** How far it is, and whether it is wanted still, turn by turn. */
  async #tellOthers(job: RunJob, ended: AbortSignal): Promise<void> {
    const { clock, jobs } = this.#options;
    let last: WorkProgress | undefined;
    while (await this.#turn(ended)) {
      const { progress, remainingMs } = job.shown(clock.monotonic());
      const far: Far = { progress, remainingMs };
      try {
        const news = progress === last ? undefined : JSON.stringify(far);
        const state = await jobs.tell(job.kept.id, news);
        last = progress;
        if (state !== "running") cancelHere(job);
      } catch {
        // The job goes on: whoever asks for it is told that the database is away.
      }
    }
  }

  /** Whether there is one more, at its beginning. */
  async #turn(ended: AbortSignal): Promise<boolean> {
    let stop: (() => void) | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    await Promise.race([
      this.#options.nextTurn?.() ??
        new Promise<void>((resolve) => timer = setTimeout(resolve, TURN_MS)),
      new Promise<void>((resolve) => {
        stop = resolve;
        if (ended.aborted) resolve();
        ended.addEventListener("abort", stop, { once: true });
      }),
    ]);
    clearTimeout(timer);
    ended.removeEventListener("abort", stop!);
    return !ended.aborted;
  }

  async #end(
    job: RunJob,
    { state, result, error, endedAt = this.#options.clock.now() }:
      & Pick<KeptJob, "state">
      & Partial<KeptJob>,
  ): Promise<void> {
    const { id } = job.kept;
    const end = { state, endedAt, result: textOf(result), error: textOf(error) };
    await this.#write(id, () => this.#options.jobs.end(id, end, BOUNDS));
  }

  /**
   * Writes a job's end. It is tried until the database has it, or the process ends: others then see it
   * ended with that.
   */
  async #write(id: string, end: () => Promise<void>): Promise<void> {
    const { onUnwritten } = this.#options;
    for (let isTold = false;;) {
      try {
        await end();
        break;
      } catch (trouble) {
        const isAway = trouble instanceof GatewayError && trouble.code === "storage_away";
        if (!isTold) onUnwritten(id, trouble);
        isTold = true;
        if (!isAway || this.#isStopping) break;
        await this.#turn(new AbortController().signal);
      }
    }
    this.#own.delete(id);
  }

  /** What runs here is known better than it is stored. */
  #shown(stored: SharedJob): Job {
    const facts = JSON.parse(stored.facts) as Facts;
    const far = stored.progress === undefined ? undefined : JSON.parse(stored.progress) as Far;
    const own = this.#own.get(stored.id)?.shown(this.#options.clock.monotonic());
    const { progress, remainingMs } = own?.progress === undefined ? far ?? {} : own;
    return {
      id: stored.id,
      operation: stored.operation,
      role: facts.role,
      input: facts.input,
      startedBy: {
        ...facts.startedBy,
        user: facts.startedBy.user,
        address: facts.startedBy.address,
      },
      startedAt: stored.startedAt,
      endedAt: stored.endedAt,
      state: stored.state,
      progress,
      remainingMs: isUnderWay(stored) ? remainingMs : undefined,
      result: stored.result === undefined ? undefined : JSON.parse(stored.result),
      error: stored.error === undefined ? undefined : JSON.parse(stored.error),
      node: stored.node,
    };
  }
}

function cancelHere(job: RunJob): void {
  if (job.kept.state === "running") job.kept = { ...job.kept, state: "cancelling" };
  job.abort.abort();
}

function tooManyInDoubt(): GatewayError {
  return new GatewayError(
    "storage_away",
    `Nothing was started: the gateway's database has not said yet what became of ${MOST_IN_DOUBT} jobs ` +
      "that were begun before",
    { retryAfterSeconds: 1 },
  );
}

/** As it comes back from where it is stored. */
function jsonOf(value: unknown): unknown {
  const text = textOf(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function textOf(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
