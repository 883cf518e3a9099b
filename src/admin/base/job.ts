/**
 * Jobs: long operations that go on while nobody waits for them.
 *
 * @module
 */

import type { AuditActor } from "../../domain/audit.ts";
import type { Rank } from "../../domain/roles.ts";
import type { WorkProgress, WorkWatcher } from "./work_progress.ts";

/**
 * - `running`: under way.
 * - `cancelling`: under way, and wanted no more.
 * - `completed`: done, with what the operation answers.
 * - `failed`: ended by an error.
 * - `cancelled`: broken off, as somebody wanted it.
 * - `interrupted`: broken off by the end of the process that ran it.
 */
export const JOB_STATES = [
  "running",
  "cancelling",
  "completed",
  "failed",
  "cancelled",
  "interrupted",
] as const;

/** One of {@linkcode JOB_STATES}. */
export type JobState = typeof JOB_STATES[number];

/** Why a job has failed, as the operation would have answered. */
export interface JobError {
  readonly code: string;
  readonly message: string;
}

/** A job as it is now. */
export interface Job {
  /** `job_` and 26 characters. */
  readonly id: string;
  /** The operation's name, such as `ledger.verify`. */
  readonly operation: string;
  /** The least rank that may run it, and so see it. */
  readonly role: Rank;
  /** What it was asked, checked. */
  readonly input: unknown;
  readonly startedBy: AuditActor;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  readonly endedAt: number | undefined;
  readonly state: JobState;
  /** As it was told last; `undefined` where nothing was told. */
  readonly progress: WorkProgress | undefined;
  /** Milliseconds until the step that it is at is done, by how fast that went so far. */
  readonly remainingMs: number | undefined;
  /** What the operation answered; `undefined` also where that is no longer kept. */
  readonly result: unknown;
  readonly error: JobError | undefined;
  /** What `tollgate nodes list` calls the node that runs it, or has run it; `undefined` with a file. */
  readonly node: string | undefined;
}

/** Whether a job has not ended. */
export function isUnderWay({ state }: Pick<Job, "state">): boolean {
  return state === "running" || state === "cancelling";
}

/** What a job is made of. */
export interface JobStart {
  readonly operation: string;
  readonly role: Rank;
  readonly input: unknown;
  readonly startedBy: AuditActor;
  readonly run: (watcher: WorkWatcher) => Promise<unknown>;
}

/** At once where it is known here, later where a server has to be asked. */
type Told<Value> = Value | Promise<Value>;

/**
 * The jobs of this process, or of all that use one database server, and the last ones that have ended, of
 * whatever process. Each throws `storage_away` while that server does not answer.
 */
export interface AdminJobs {
  /**
   * Begins one. Of each operation one at a time is under way: asked the same again, it gives that one.
   *
   * @throws {GatewayError} `conflict` when another one of the kind is under way; `shutting_down`.
   */
  start(job: JobStart): Told<Job>;
  /** Newest first; of a server without their results. */
  list(): Told<readonly Job[]>;
  find(id: string): Told<Job | undefined>;
  /** Has one end soon, where it can be broken off; gives it as it is then. */
  cancel(id: string): Told<Job | undefined>;
  /** Ends what is under way, as interrupted; resolves soon. */
  stop(): Promise<void>;
}
