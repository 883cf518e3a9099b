/**
 * Removes from a bucket what no task names any more: what crashes, attempts that were given up and
 * deletions during an outage have left. Only what is a day old: younger things may be on their way.
 *
 * @module
 */

import type { Clock } from "../../domain/clock.ts";
import { isOpen, type VideoTask } from "../../domain/video_task.ts";
import type { ObjectStore } from "../../objects/object_store.ts";
import type { VideoStore } from "../../storage/ports/storage.ts";
import { thumbnailKey } from "../files/bucket_films.ts";

/** What it works with. */
export interface BucketSweepOptions {
  readonly store: ObjectStore;
  /** What all keys begin with: "", or a path with `/` at its end. */
  readonly prefix: string;
  readonly videos: Pick<VideoStore, "find">;
  readonly clock: Pick<Clock, "now">;
  readonly onSwept: (swept: Swept) => void;
  readonly onError: (error: unknown) => void;
}

/** What was removed. */
export interface Swept {
  readonly objects: number;
  readonly uploads: number;
}

const DAY_MS = 86_400_000;
/** A start has other things to do first. */
const FIRST_AFTER_MS = 600_000;
/** Nothing else in the bucket is touched. */
const KEY = /^(video_[a-z2-7]{26})\/(?:(\d+)\.(?:mp4|webp)|input)$/;

export class BucketSweep {
  readonly #options: BucketSweepOptions;
  readonly #end = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #sweeping: Promise<void> | undefined;

  constructor(options: BucketSweepOptions) {
    this.#options = options;
  }

  /** Sweeps a while from now, and then once a day. */
  start(): void {
    this.#setTimer(FIRST_AFTER_MS);
  }

  /** Ends that, for good. */
  async stop(): Promise<void> {
    this.#end.abort();
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  /** Sweeps now. */
  async sweep(): Promise<Swept> {
    return { objects: await this.#sweepObjects(), uploads: await this.#sweepUploads() };
  }

  #setTimer(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#sweeping = this.#sweepAndTell().finally(() => {
        if (!this.#end.signal.aborted) this.#setTimer(DAY_MS);
      });
    }, ms);
  }

  async #sweepAndTell(): Promise<void> {
    const { onSwept, onError } = this.#options;
    try {
      const swept = await this.sweep();
      if (swept.objects + swept.uploads > 0) onSwept(swept);
    } catch (error) {
      // The end breaks one off.
      if (!this.#end.signal.aborted) onError(error);
    }
  }

  async #sweepObjects(): Promise<number> {
    const { store, prefix, videos } = this.#options;
    const { signal } = this.#end;
    let removed = 0;
    let last: { readonly id: string; readonly task: VideoTask | undefined } | undefined;
    // In the order of keys: those of a task follow each other.
    for await (const { key, putAt } of store.list(`${prefix}video_`, signal)) {
      signal.throwIfAborted();
      const name = key.slice(prefix.length);
      const [, id, attempt] = KEY.exec(name) ?? [];
      if (id === undefined || !this.#isOld(putAt)) continue;
      if (last?.id !== id) last = { id, task: await videos.find(id) };
      if (isNeeded(last.task, { name, attempt: attempt && Number(attempt) })) continue;
      await store.delete(key, signal);
      removed++;
    }
    return removed;
  }

  async #sweepUploads(): Promise<number> {
    const { store, prefix } = this.#options;
    const { signal } = this.#end;
    let ended = 0;
    for await (const { key, uploadId, begunAt } of store.uploads(`${prefix}video_`, signal)) {
      signal.throwIfAborted();
      if (!KEY.test(key.slice(prefix.length)) || !this.#isOld(begunAt)) continue;
      await store.abandon(key, uploadId, signal);
      ended++;
    }
    return ended;
  }

  #isOld(at: number): boolean {
    return this.#options.clock.now() - at > DAY_MS;
  }
}

function isNeeded(
  task: VideoTask | undefined,
  { name, attempt }: { readonly name: string; readonly attempt: number | "" | undefined },
): boolean {
  if (task === undefined) return false;
  if (isOpen(task)) return typeof attempt !== "number" || attempt >= task.attempt;
  const { file, fileRemovedAt } = task;
  if (file?.key === undefined || fileRemovedAt !== undefined) return false;
  return name === file.key || name === thumbnailKey(file.key);
}
