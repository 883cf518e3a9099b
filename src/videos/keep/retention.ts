/**
 * Removes films whose time is over, and old ones where they take more than their
 * quota. The tasks stay listed, and say when it happened. A film that cannot be
 * removed is told of once and keeps no other from going.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import type { VideoTask } from "../../domain/video_task.ts";
import type { ContentPage } from "../../storage/ports/video_pages.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";
import type { FilmStore } from "../files/film_store.ts";
import type { ContentQuota } from "./content_quota.ts";
import type { Leftovers } from "../files/leftovers.ts";
import type { TaskBook } from "../task/task_book.ts";

/** What retention needs. */
export interface RetentionOptions {
  /** How long films are kept from completion; `undefined` keeps them for ever. */
  readonly keepMs: number | undefined;
  /** How much of them. */
  readonly quota: ContentQuota;
  readonly leftovers: Pick<Leftovers, "sweep">;
  readonly book: TaskBook;
  readonly videos: VideoStore;
  readonly films: Pick<FilmStore, "removeContent">;
  readonly clock: Clock;
  readonly onRemoved: (task: VideoTask, why: "expired" | "quota") => void;
  readonly onError: (error: unknown) => void;
}

const SWEEP_MS = 30_000;
const SLICE = 100;
const NOBODY: ReadonlySet<string> = new Set();

export class Retention {
  readonly #options: RetentionOptions;
  readonly #unsubscribe: () => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #sweeping: Promise<void> | undefined;
  #isAskedAgain = false;
  /** Bytes of the films that came since the last sweep, by project. */
  #grown = new Map<string, number>();
  /** Films that could not be removed. */
  readonly #stuck = new Set<string>();

  constructor(options: RetentionOptions) {
    this.#options = options;
    this.#unsubscribe = options.book.subscribe((before, after) => {
      if (before?.status === after?.status || after?.status !== "completed") return;
      const { projectId, file } = after;
      this.#grown.set(projectId, (this.#grown.get(projectId) ?? 0) + (file?.bytes ?? 0));
      if (options.quota.next(NOBODY, this.#grown) !== undefined) this.sweep();
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
    const { videos, clock, quota, leftovers } = this.#options;
    await leftovers.sweep();
    const untilMs = clock.now();
    const expired = pagesOf(
      (page) => videos.expired(page),
      { untilMs, at: ({ expiresAt }) => expiresAt! },
    );
    for await (const task of expired) await this.#removeContent(task, "expired");
    const grown = this.#grown;
    this.#grown = new Map();
    const hasNone = new Set<string>();
    for (;;) {
      const projectId = quota.next(hasNone, grown);
      if (projectId === undefined) return;
      const removable = pagesOf(
        (page) => videos.removableVideos(projectId, page),
        { untilMs: quota.removableBefore, at: ({ completedAt }) => completedAt! },
      );
      for await (const task of removable) {
        await this.#removeContent(task, "quota");
        grown.set(projectId, (grown.get(projectId) ?? 0) - task.file!.bytes);
        if (quota.next(hasNone, grown) !== projectId) break;
      }
      if (quota.next(hasNone, grown) === projectId) hasNone.add(projectId);
    }
  }

  /** The file first: a crash in between leaves a task that the next sweep finds again. */
  async #removeContent(expired: VideoTask, why: "expired" | "quota"): Promise<void> {
    const { id } = expired;
    const { book, films, clock, onRemoved, onError } = this.#options;
    const now = clock.now();
    try {
      await films.removeContent(expired);
      const removed = await book.change(id, (task) => {
        if (task.status !== "completed" || task.fileRemovedAt !== undefined) return undefined;
        const expiresAt = Math.min(task.expiresAt ?? now, now);
        return { set: { fileRemovedAt: now, expiresAt } };
      });
      this.#stuck.delete(id);
      if (removed !== undefined) onRemoved(removed, why);
    } catch (error) {
      if (this.#stuck.has(id)) return;
      this.#stuck.add(id);
      onError(new Error(`Cannot remove the film of ${id} yet`, { cause: error }));
    }
  }
}

/** Films slice by slice, each once whatever becomes of it. */
async function* pagesOf(
  read: (page: ContentPage) => Promise<readonly VideoTask[]>,
  { untilMs, at }: { readonly untilMs: number; readonly at: (task: VideoTask) => number },
): AsyncGenerator<VideoTask> {
  let after: ContentPage["after"];
  for (;;) {
    const slice = await read({ untilMs, limit: SLICE, after });
    yield* slice;
    const last = slice.at(-1);
    if (last === undefined || slice.length < SLICE) return;
    after = { at: at(last), callId: last.callId };
  }
}
