/**
 * Tells upstreams that a job is no longer wanted, in the background: nobody
 * waits for it, and it may fail.
 *
 * @module
 */

import { JoinedSignal } from "../../domain/joined_signal.ts";
import type { UpstreamJob, VideoTask } from "../../domain/video_task.ts";
import type { Registry } from "../../providers/registry.ts";
import { nameOf } from "../task/attempt.ts";
import type { OnRunnerEvent } from "../task/runner_event.ts";

/** What cancelling needs. */
export interface JobCancellerOptions {
  readonly registry: Pick<Registry, "provider">;
  readonly onEvent: OnRunnerEvent;
}

/** An upstream that does not answer for so long is left alone. */
const CANCEL_TIMEOUT_MS = 30_000;

export class JobCanceller {
  readonly #options: JobCancellerOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #end = new AbortController();

  constructor(options: JobCancellerOptions) {
    this.#options = options;
  }

  /** Asks the upstream to stop and forget a job of a task. */
  cancel(task: VideoTask, job: UpstreamJob): void {
    const cancelled: Promise<void> = this.#cancel(task, job).finally(() => {
      this.#underWay.delete(cancelled);
    });
    this.#underWay.add(cancelled);
  }

  /** Resolves when no request is under way. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  /** Ends the requests under way. */
  stop(): void {
    this.#end.abort();
  }

  async #cancel(task: VideoTask, job: UpstreamJob): Promise<void> {
    const { registry, onEvent } = this.#options;
    using enough = new JoinedSignal([this.#end.signal, AbortSignal.timeout(CANCEL_TIMEOUT_MS)]);
    try {
      await registry.provider(task.provider)?.videos?.cancel(job, enough.signal);
    } catch (error) {
      onEvent({ kind: "cancel_failed", job: job.id, error, ...nameOf(task) });
    }
  }
}
