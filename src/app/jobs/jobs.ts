/**
 * Jobs under way, which end when the gateway does.
 *
 * @module
 */

import type { ArchiveProgress } from "../../admin/base/archive_report.ts";
import { GatewayError } from "../../errors.ts";
import { type RunningJob, startJob } from "./start_job.ts";
import type { JobResults, LongJob } from "./worker_protocol.ts";

/** Starts jobs until it is stopped. */
export class Jobs {
  readonly #running = new Set<RunningJob>();
  #isStopping = false;

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /**
   * Has a job done.
   *
   * @throws {GatewayError} `shutting_down`
   */
  async run<Job extends LongJob>(
    job: Job,
    onProgress?: (progress: ArchiveProgress) => void,
  ): Promise<JobResults[Job["kind"]]> {
    if (this.#isStopping) throw new GatewayError("shutting_down", "The gateway is stopping");
    const running = startJob(job, onProgress);
    this.#running.add(running);
    try {
      return await running.done;
    } finally {
      this.#running.delete(running);
    }
  }

  /** Ends what is under way; resolves when that has failed. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running].map((job) => job.stop()));
  }
}
