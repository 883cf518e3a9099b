/**
 * The queue of the sole writer: entries in, batches out, one at a time and in
 * order. While a batch is being synced the next one gathers.
 *
 * @module
 */

import type { CommitQueue } from "../ports/commit_queue.ts";
import type { Entry, EntryResult } from "../ports/entry.ts";

/** What a queue writes with, and its bounds. */
export interface CommitQueueOptions {
  /** Writes a batch in one synced transaction; one result per entry, in order. */
  readonly write: (batch: readonly Entry[]) => Promise<readonly EntryResult[]>;
  /** Entries waiting or being written from which on the queue is full. Default 10,000. */
  readonly maxPending?: number;
  /** Entries in one transaction at most. Default 1,000. */
  readonly maxBatch?: number;
  /** How long an enqueued entry waits for company. Default 5. */
  readonly lingerMs?: number;
}

interface Waiting {
  readonly entry: Entry;
  readonly done: ((result: EntryResult) => void) | undefined;
}

interface FlushWaiter {
  /** Resolved when this many entries are done. */
  readonly entries: number;
  readonly resolve: () => void;
}

const FULL: EntryResult = Object.freeze({
  ok: false,
  reason: "failed",
  message: "Too many entries are waiting to be written",
});

/**
 * A queue in front of `write`. When it is full it refuses every entry but the
 * ones of calls that were let in before (`rehold`, `close`), which are bounded
 * by the number of open calls.
 */
export function createCommitQueue(options: CommitQueueOptions): CommitQueue {
  return new GatheringQueue(options);
}

class GatheringQueue implements CommitQueue {
  readonly #write: CommitQueueOptions["write"];
  readonly #maxPending: number;
  readonly #maxBatch: number;
  readonly #lingerMs: number;
  #waiting: Waiting[] = [];
  #writing = 0;
  /** Whether something in `#waiting` is awaited by somebody. */
  #urgent = false;
  #scheduled = false;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  #done = 0;
  readonly #flushWaiters: FlushWaiter[] = [];

  constructor(options: CommitQueueOptions) {
    this.#write = options.write;
    this.#maxPending = options.maxPending ?? 10_000;
    this.#maxBatch = options.maxBatch ?? 1_000;
    this.#lingerMs = options.lingerMs ?? 5;
  }

  get pending(): number {
    return this.#waiting.length + this.#writing;
  }

  get full(): boolean {
    return this.pending >= this.#maxPending;
  }

  commit(entry: Entry): Promise<EntryResult> {
    if (this.#refuses(entry)) return Promise.resolve(FULL);
    return new Promise((done) => {
      this.#waiting.push({ entry, done });
      this.#urgent = true;
      this.#schedule();
    });
  }

  enqueue(entry: Entry, onRefused?: (result: EntryResult) => void): void {
    if (this.#refuses(entry)) return onRefused?.(FULL);
    const done = onRefused === undefined ? undefined : (result: EntryResult) => {
      if (!result.ok) onRefused(result);
    };
    this.#waiting.push({ entry, done });
    this.#linger();
  }

  flush(): Promise<void> {
    const { pending } = this;
    if (pending === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#flushWaiters.push({ entries: this.#done + pending, resolve });
      this.#urgent = true;
      this.#schedule();
    });
  }

  #refuses(entry: Entry): boolean {
    return this.full && entry.kind !== "close" && entry.kind !== "rehold";
  }

  /** One timer for any number of entries; a batch that starts earlier takes them along. */
  #linger(): void {
    if (this.#lingering !== undefined || this.#writing > 0) return;
    this.#lingering = setTimeout(() => {
      this.#lingering = undefined;
      if (this.#waiting.length > 0) this.#start();
    }, this.#lingerMs);
  }

  /** Starts at the end of this turn of the event loop, so that a turn's entries share a batch. */
  #schedule(): void {
    if (this.#scheduled || this.#writing > 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    if (this.#writing > 0 || this.#waiting.length === 0) return;
    const batch = this.#waiting.length <= this.#maxBatch
      ? this.#waiting
      : this.#waiting.slice(0, this.#maxBatch);
    this.#waiting = this.#waiting.slice(batch.length);
    this.#writing = batch.length;
    if (this.#waiting.length === 0) this.#urgent = false;
    this.#write(batch.map(({ entry }) => entry)).then(
      (results) => this.#finish(batch, results),
      (error: Error) => {
        const refusal: EntryResult = { ok: false, reason: "failed", message: error.message };
        this.#finish(batch, batch.map(() => refusal));
      },
    );
  }

  #finish(batch: readonly Waiting[], results: readonly EntryResult[]): void {
    this.#writing = 0;
    this.#done += batch.length;
    if (this.#urgent) this.#start();
    else if (this.#waiting.length > 0) this.#linger();
    for (let index = 0; index < batch.length; index++) batch[index]!.done?.(results[index]!);
    while (this.#flushWaiters.length > 0 && this.#flushWaiters[0]!.entries <= this.#done) {
      this.#flushWaiters.shift()!.resolve();
    }
  }
}
