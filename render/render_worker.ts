/**
 * One render Worker as this thread sees it: one job at a time, watched, and given up on when it
 * does not answer.
 *
 * @module
 */

import { Worker } from "node:worker_threads";
import type { SharedCaptionFont } from "./caption/caption_font.ts";
import { RenderError } from "./render_error.ts";
import type { RenderJob, RenderReply, RenderWorkerStart } from "./worker_protocol.ts";

/** A job without its number. */
export type RenderWork = RenderJob extends infer Job
  ? Job extends RenderJob ? Omit<Job, "job"> : never
  : never;

/** The answer that ends a job. */
export type RenderOutcome = Exclude<RenderReply, number | { readonly crash: string }>;

/** How a Worker is started and watched. */
export interface RenderWorkerOptions {
  /** The Worker's module. */
  readonly entry: URL;
  /** The fonts that a Worker is started with; by default it finds them itself. */
  readonly font?: () => SharedCaptionFont | undefined;
  /** A Worker that sends nothing for so long while it works is abandoned. */
  readonly silenceMs: number;
  /** So is one that goes on for so long after it was told to stop. */
  readonly stopMs: number;
  /** Told with a sentence when it is abandoned: its thread may go on for ever. */
  readonly onAbandoned: (reason: string) => void;
  /** Told when an abandoned Worker's thread has ended after all. */
  readonly onEnded: () => void;
}

/** What accompanies a job. */
export interface RenderRun {
  readonly onProgress?: (fraction: number) => void;
  /** Aborted: the job is to stop at its next frame. */
  readonly signal?: AbortSignal;
}

/**
 * The heap of one Worker's script. Pictures and the encoder's memory lie outside of it; the older
 * runtime inside some executables ignores it.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 };

interface Pending {
  readonly resolve: (outcome: RenderOutcome) => void;
  readonly reject: (error: RenderError) => void;
  readonly onProgress: ((fraction: number) => void) | undefined;
}

/** A Worker, started at once. */
export class RenderWorker {
  readonly #worker: Worker;
  readonly #stop = new SharedArrayBuffer(4);
  readonly #options: RenderWorkerOptions;
  #job = 0;
  #pending: Pending | undefined;
  #isStopping = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #state: "usable" | "abandoned" | "ended" = "usable";
  #cause: unknown;

  constructor(options: RenderWorkerOptions) {
    this.#options = options;
    const start: RenderWorkerStart = { stop: this.#stop, font: options.font?.() };
    this.#worker = new Worker(options.entry, {
      workerData: start,
      resourceLimits: RESOURCE_LIMITS,
    });
    this.#worker.on("message", (reply: RenderReply) => this.#receive(reply));
    // Some runtimes report a throw by `exit` alone; others by `error`, then `exit`.
    this.#worker.on("error", (error: unknown) => this.#cause = error);
    this.#worker.on("exit", (code: number) => this.#exited(code));
  }

  /** Whether it can take another job, once it has none. */
  get isUsable(): boolean {
    return this.#state === "usable";
  }

  /**
   * Does one job.
   *
   * @throws {RenderError} `crashed` or `abandoned`; the Worker is not usable then.
   */
  async run(work: RenderWork, { onProgress, signal }: RenderRun = {}): Promise<RenderOutcome> {
    const stop = () => this.#stopJob();
    try {
      return await new Promise<RenderOutcome>((resolve, reject) => {
        this.#pending = { resolve, reject, onProgress };
        this.#isStopping = false;
        this.#worker.ref();
        this.#worker.postMessage({ job: ++this.#job, ...work } as RenderJob);
        this.#watch(this.#options.silenceMs);
        signal?.addEventListener("abort", stop);
        if (signal?.aborted) stop();
      });
    } finally {
      signal?.removeEventListener("abort", stop);
      clearTimeout(this.#timer);
      this.#pending = undefined;
      // A Worker without a job keeps no process alive, nor does one that nobody waits for.
      this.#worker.unref();
    }
  }

  /** Ends an idle Worker. */
  async end(): Promise<void> {
    if (this.#state !== "usable") return;
    this.#state = "ended";
    await this.#worker.terminate();
  }

  #stopJob(): void {
    this.#isStopping = true;
    Atomics.store(new Int32Array(this.#stop), 0, this.#job);
    this.#watch(this.#options.stopMs);
  }

  #watch(limitMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#abandon(limitMs), limitMs);
  }

  #receive(reply: RenderReply): void {
    if (this.#pending === undefined) return;
    if (typeof reply === "number") {
      if (!this.#isStopping) this.#watch(this.#options.silenceMs);
      this.#pending.onProgress?.(reply);
    } else if ("crash" in reply) {
      this.#cause = reply.crash;
      this.#pending.reject(this.#crash());
      this.end();
    } else this.#pending.resolve(reply);
  }

  #exited(code: number): void {
    if (this.#state === "abandoned") this.#options.onEnded();
    if (this.#state !== "ended") this.#pending?.reject(this.#crash(code));
    this.#state = "ended";
  }

  /** Ending a thread that never comes back to its event loop works on some runtimes only. */
  #abandon(limitMs: number): void {
    const reason = this.#isStopping
      ? `A render Worker went on for ${limitMs} ms after it was told to stop`
      : `A render Worker sent nothing for ${limitMs} ms`;
    this.#state = "abandoned";
    this.#pending?.reject(new RenderError("abandoned", reason));
    this.#options.onAbandoned(reason);
    this.#worker.terminate();
  }

  #crash(code?: number): RenderError {
    const detail = this.#cause instanceof Error ? this.#cause.message : this.#cause;
    return new RenderError(
      "crashed",
      `The render Worker ended in the middle of its work: ${detail ?? `exit code ${code}`}`,
      { cause: this.#cause },
    );
  }
}
