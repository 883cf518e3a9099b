/**
 * A row of render Workers that take jobs in the order they come: started when they are needed,
 * used again, ended when they are idle, replaced when they are lost.
 *
 * @module
 */

import { RenderError } from "./render_error.ts";
import {
  type RenderOutcome,
  type RenderRun,
  type RenderWork,
  RenderWorker,
  type RenderWorkerOptions,
} from "./render_worker.ts";

/** How long and how many Workers a lane keeps. */
export interface WorkerLaneOptions {
  /** Jobs done at one time. */
  readonly workers: number;
  /** A Worker without a job is ended after so long. */
  readonly idleMs: number;
  readonly worker: RenderWorkerOptions;
}

interface IdleWorker {
  readonly worker: RenderWorker;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** Jobs in, outcomes out. */
export class WorkerLane {
  readonly #options: WorkerLaneOptions;
  readonly #idle: IdleWorker[] = [];
  readonly #waiting: (() => void)[] = [];
  readonly #running = new Set<Promise<unknown>>();
  /** One for each job: what `AbortSignal.any()` makes, a source remembers as long as it lives. */
  readonly #jobs = new Set<AbortController>();
  #isClosed = false;
  #taken = 0;

  constructor(options: WorkerLaneOptions) {
    this.#options = options;
  }

  /** Jobs that would start at once. */
  get free(): number {
    return this.#isClosed ? 0 : this.#options.workers - this.#taken;
  }

  /**
   * Does one job as soon as a Worker is free.
   *
   * @throws the signal's reason once it is aborted.
   * @throws {RenderError} `crashed`, `abandoned`, or `stopped` when the lane is closed.
   */
  async run(work: RenderWork, { onProgress, signal }: RenderRun = {}): Promise<RenderOutcome> {
    if (this.#isClosed) throw closed();
    const job = new AbortController();
    const stop = () => job.abort(signal?.reason);
    signal?.addEventListener("abort", stop);
    if (signal?.aborted) stop();
    this.#jobs.add(job);
    try {
      return await this.#runJob(work, { onProgress, signal: job.signal });
    } finally {
      signal?.removeEventListener("abort", stop);
      this.#jobs.delete(job);
    }
  }

  /** Stops what runs, refuses what waits, and ends every Worker that can be ended. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const job of this.#jobs) job.abort(closed());
    await Promise.allSettled(this.#running);
    await Promise.all(this.#idle.splice(0).map(endIdle));
  }

  async #runJob(
    work: RenderWork,
    run: RenderRun & { readonly signal: AbortSignal },
  ): Promise<RenderOutcome> {
    await this.#take(run.signal);
    try {
      run.signal.throwIfAborted();
      const running = this.#work(work, run);
      this.#running.add(running);
      const outcome = await running.finally(() => this.#running.delete(running));
      if ("stopped" in outcome) run.signal.throwIfAborted();
      return outcome;
    } finally {
      this.#release();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#options.workers) {
      this.#taken++;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(next), 1);
        reject(signal.reason);
      };
      const next = () => {
        signal.removeEventListener("abort", leave);
        resolve();
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(next);
    });
  }

  /** The place goes to the one who waits longest, and is never free in between. */
  #release(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#taken--;
    else next();
  }

  async #work(work: RenderWork, run: RenderRun): Promise<RenderOutcome> {
    const idle = this.#idle.pop();
    clearTimeout(idle?.timer);
    const worker = idle?.worker.isUsable ? idle.worker : new RenderWorker(this.#options.worker);
    try {
      return await worker.run(work, run);
    } finally {
      if (worker.isUsable) this.#keep(worker);
    }
  }

  #keep(worker: RenderWorker): void {
    const timer = setTimeout(() => {
      this.#idle.splice(this.#idle.indexOf(idle), 1);
      worker.end();
    }, this.#options.idleMs);
    Deno.unrefTimer(Number(timer));
    const idle: IdleWorker = { worker, timer };
    this.#idle.push(idle);
  }
}

function closed(): RenderError {
  return new RenderError("stopped", "The renderer is closed");
}

async function endIdle({ worker, timer }: IdleWorker): Promise<void> {
  clearTimeout(timer);
  await worker.end();
}
