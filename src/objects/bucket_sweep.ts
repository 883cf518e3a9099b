/**
 * Removes from a bucket what nothing names any more: what crashes, attempts that were given up and
 * deletions during an outage have left. Only what is a day old: younger things may be on their way.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import type { ObjectStore } from "./object_store.ts";

/** What the bucket has of one kind. Keys are those below the bucket's prefix. */
export interface SweptKind {
  /** What its keys begin with. */
  readonly begins: string;
  /** Whether a key that begins so is one of its own: nothing else in the bucket is touched. */
  readonly isOwn: (key: string) => boolean;
  /** Whether anything names it; asked in the order of keys. */
  readonly isNeeded: (key: string) => Promise<boolean>;
}

/** What it works with. */
export interface BucketSweepOptions {
  readonly store: ObjectStore;
  /** What all keys begin with: "", or a path with `/` at its end. */
  readonly prefix: string;
  readonly kinds: readonly SweptKind[];
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
    let objects = 0;
    let uploads = 0;
    for (const kind of this.#options.kinds) {
      objects += await this.#sweepObjects(kind);
      uploads += await this.#sweepUploads(kind);
    }
    return { objects, uploads };
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

  async #sweepObjects({ begins, isOwn, isNeeded }: SweptKind): Promise<number> {
    const { store, prefix } = this.#options;
    const { signal } = this.#end;
    let removed = 0;
    for await (const { key, putAt } of store.list(prefix + begins, signal)) {
      signal.throwIfAborted();
      const name = key.slice(prefix.length);
      if (!isOwn(name) || !this.#isOld(putAt) || await isNeeded(name)) continue;
      await store.delete(key, signal);
      removed++;
    }
    return removed;
  }

  async #sweepUploads({ begins, isOwn }: SweptKind): Promise<number> {
    const { store, prefix } = this.#options;
    const { signal } = this.#end;
    let ended = 0;
    for await (const { key, uploadId, begunAt } of store.uploads(prefix + begins, signal)) {
      signal.throwIfAborted();
      if (!isOwn(key.slice(prefix.length)) || !this.#isOld(begunAt)) continue;
      await store.abandon(key, uploadId, signal);
      ended++;
    }
    return ended;
  }

  #isOld(at: number): boolean {
    return this.#options.clock.now() - at > DAY_MS;
  }
}
