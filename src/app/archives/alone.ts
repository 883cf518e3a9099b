/**
 * Archiving of which one is under way at a time in this process, and whoever follows it.
 *
 * @module
 */

import type { WorkProgress, WorkWatcher } from "../../admin/base/work_progress.ts";
import { GatewayError } from "../../errors.ts";

export class Alone {
  #progress: WorkProgress | undefined;
  #watcher: WorkWatcher | undefined;
  #working: Promise<unknown> | undefined;

  /** @throws {GatewayError} `conflict` where another one is under way. */
  async run<Value>(work: () => Promise<Value>, watcher?: WorkWatcher): Promise<Value> {
    if (this.isUnderWay) {
      throw new GatewayError("conflict", "Cannot archive calls: that is under way already");
    }
    this.#watcher = watcher;
    const working = work();
    this.#working = working.catch(() => {});
    try {
      return await working;
    } finally {
      this.#working = undefined;
      this.#progress = undefined;
      this.#watcher = undefined;
    }
  }

  get isUnderWay(): boolean {
    return this.#working !== undefined;
  }

  /** `undefined` when nothing is under way, or nothing is told yet. */
  get progress(): WorkProgress | undefined {
    return this.#progress;
  }

  /** What a job of the Worker is followed by. */
  get following(): Partial<WorkWatcher> {
    const { signal } = this.#watcher ?? {};
    const onProgress = (progress: WorkProgress) => this.tell(progress);
    return signal === undefined ? { onProgress } : { onProgress, signal };
  }

  tell(progress: WorkProgress): void {
    this.#progress = progress;
    this.#watcher?.onProgress(progress);
  }

  /** Where whoever follows it wants it no more. */
  throwIfCancelled(): void {
    this.#watcher?.signal.throwIfAborted();
  }

  /** Resolves once nothing is under way, however it ended. */
  async ended(): Promise<void> {
    await this.#working;
  }
}
