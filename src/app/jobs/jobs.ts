/**
 * Jobs of the Worker for long work on databases, which end when the gateway does.
 *
 * @module
 */

import { Worker } from "node:worker_threads";
import type { WorkProgress, WorkWatcher } from "../../admin/base/work_progress.ts";
import { GatewayError } from "../../errors.ts";
import type { JobReply, JobResults, JobStart, LongJob } from "./worker_protocol.ts";

/** A job under way. */
export interface RunningJob<Result = unknown> {
  /** Rejects with an error whose `name` is that of the Worker's. */
  readonly done: Promise<Result>;
  /**
   * Has the job fail soon; resolves when it has. What the driver does in one go may last
   * minutes: after two seconds it is no longer waited for.
   */
  stop(): Promise<void>;
}

const STOP_PATIENCE_MS = 2_000;

/** Starts a Worker for one job; it is ended afterwards. */
export function startJob<Job extends LongJob>(
  job: Job,
  onProgress: (progress: WorkProgress) => void = () => {},
): RunningJob<JobResults[Job["kind"]]> {
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const start: JobStart = { job, stop };
  const worker = new Worker(workerAddress(), { workerData: start });
  const { promise: given, resolve, reject } = Promise.withResolvers<JobResults[Job["kind"]]>();
  worker.on("message", (reply: JobReply) => {
    if ("progress" in reply) return onProgress(reply.progress);
    if ("value" in reply) return resolve(reply.value as JobResults[Job["kind"]]);
    reject(Object.assign(new Error(reply.error.message), { name: reply.error.name }));
  });
  // Some runtimes report a throw by `exit` alone; others by `error`, then `exit`.
  worker.on("error", (error: unknown) => reject(error));
  worker.on(
    "exit",
    (code: number) => reject(new Error(`The backup's Worker ended with code ${code}`)),
  );
  let isAbandoned = false;
  const done = given.finally(async () => {
    // A Worker that is busy in the driver ends after that.
    const ended = worker.terminate();
    if (!isAbandoned) await ended;
  });
  return {
    done,
    async stop() {
      Atomics.store(stop, 0, 1);
      const patience = setTimeout(() => {
        isAbandoned = true;
        reject(new Error("The gateway is stopping"));
      }, STOP_PATIENCE_MS);
      try {
        await done;
      } catch {
        // Whoever began the job hears how it ended.
      } finally {
        clearTimeout(patience);
      }
    },
  };
}

/** Starts jobs until it is stopped. */
export class Jobs {
  readonly #running = new Set<RunningJob>();
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Has a job done; it fails soon when the signal is aborted.
   *
   * @throws {GatewayError} `shutting_down`
   */
  async run<Job extends LongJob>(
    job: Job,
    { onProgress, signal }: Partial<WorkWatcher> = {},
  ): Promise<JobResults[Job["kind"]]> {
    if (this.#isStopping) throw new GatewayError("shutting_down", "The gateway is stopping");
    signal?.throwIfAborted();
    const running = startJob(job, onProgress);
    this.#running.add(running);
    const cancel = () => void running.stop();
    signal?.addEventListener("abort", cancel);
    try {
      return await running.done;
    } finally {
      signal?.removeEventListener("abort", cancel);
      this.#running.delete(running);
    }
  }

  /** Ends what is under way; resolves when that has failed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running].map((job) => job.stop()));
  }
}

/** The bundler names a Worker's file after its path under `src`, beside the main bundle. */
function workerAddress(): URL {
  return import.meta.url.endsWith(".ts")
    ? new URL("../worker.ts", import.meta.url)
    : new URL("./app_worker.js", import.meta.url);
}
