/**
 * Removes films whose time is over, and the oldest ones where all together take
 * more than their quota. The tasks stay listed, and say when it happened.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";
import type { ContentFiles } from "./content_files.ts";
import type { TaskBook } from "../task_book.ts";

/** How long films are kept, and how much of them. */
export interface RetentionRules {
  /** From completion; `undefined` keeps films for ever. */
  readonly keepMs: number | undefined;
  /** `undefined` for no quota. */
  readonly quotaBytes: number | undefined;
}

/** What retention needs. */
export interface RetentionOptions extends RetentionRules {
  readonly book: TaskBook;
  readonly videos: VideoStore;
  readonly files: ContentFiles;
  readonly clock: Clock;
  readonly onRemoved: (task: VideoTask, why: "expired" | "quota") => void;
  readonly onError: (error: unknown) => void;
}

const SWEEP_MS = 30_000;
const SLICE = 100;

/** See the module's text. */
export class Retention {
  readonly #options: RetentionOptions;
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sweeping: Promise<void> | undefined;
  #isAskedAgain = false;

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#unsubscribe = options.book.subscribe((_before, after) => {
      if (options.quotaBytes !== undefined && after?.status === "completed") this.sweep();
    });
  }

  /** When a film that is completed now will be removed. */
  expiryOf(completedAt: number): number | undefined {
    const { keepMs } = this.#options;
    return keepMs === undefined ? undefined : completedAt + keepMs;
  }

  start(): void {
    this.sweep();
    this.#timer = setInterval(() => this.sweep(), SWEEP_MS);
  }

  /** Ends the sweeps, for good; resolves when the one under way is over. */
  async stop(): Promise<void> {
    this.#unsubscribe();
    clearInterval(this.#timer);
    this.#isAskedAgain = false;
    await this.#sweeping;
  }

  /** Looks now; a sweep under way looks once more. Resolves when nothing is left to remove. */
  sweep(): Promise<void> {
    this.#isAskedAgain = this.#sweeping !== undefined;
    this.#sweeping ??= this.#sweepAll().catch(this.#options.onError).finally(() => {
      this.#sweeping = undefined;
      if (this.#isAskedAgain) this.sweep();
    });
    return this.#sweeping;
  }

  async #sweepAll(): Promise<void> {
    const { videos, clock, quotaBytes } = this.#options;
    for (;;) {
      const expired = await videos.expired(clock.now(), SLICE);
      for (const task of expired) await this.#removeFilm(task, "expired");
      if (expired.length < SLICE) break;
    }
    if (quotaBytes === undefined) return;
    let keptBytes = await videos.keptBytes();
    while (keptBytes > quotaBytes) {
      const oldest = await videos.oldestFiles(SLICE);
      if (oldest.length === 0) return;
      for (const task of oldest) {
        if (keptBytes <= quotaBytes) return;
        await this.#removeFilm(task, "quota");
        keptBytes -= task.file?.bytes ?? 0;
      }
    }
  }

  /** The file first: a crash in between leaves a task that the next sweep finds again. */
  async #removeFilm({ id }: VideoTask, why: "expired" | "quota"): Promise<void> {
    const { book, files, clock, onRemoved } = this.#options;
    const now = clock.now();
    await files.removeFilm(id);
    const removed = await book.change(id, (task) => {
      if (task.status !== "completed" || task.fileRemovedAt !== undefined) return undefined;
      const expiresAt = Math.min(task.expiresAt ?? now, now);
      return { set: { fileRemovedAt: now, expiresAt } };
    });
    if (removed !== undefined) onRemoved(removed, why);
  }
}
