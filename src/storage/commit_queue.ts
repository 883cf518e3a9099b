/**
 * The queue of the sole writer: entries in, batches out, one at a time and in
 * order, but for holds that may wait and for large answers. While a batch is being
 * synced the next one gathers. A call that closes while its hold still waits is
 * written as one entry: most short calls are.
 *
 * @module
 */

import { setImmediate } from "node:timers";
import { BriefMap } from "../domain/brief_map.ts";
import type { CommitQueue } from "./ports/commit_queue.ts";
import type { Entry, EntryResult } from "./ports/entry.ts";
import { givesBackTo, takesFrom } from "./entries/balance_order.ts";
import { keptText } from "./ports/kept_of.ts";

/** What a queue writes with, and its bounds. */
export interface CommitQueueOptions {
  /** Writes a batch in one synced transaction; one result per entry, in order. */
  readonly write: (batch: readonly Entry[]) => Promise<readonly EntryResult[]>;
  /** Entries waiting or being written from which on the queue is full. Default 10,000. */
  readonly maxPending?: number;
  /** Entries in one transaction at most. Default 1,000. */
  readonly maxBatch?: number;
  /**
   * A hold waits for its close for one to two of these, as one row is cheaper to
   * write than a row and its change. Default 3.
   */
  readonly lingerMs?: number;
}

type Done = (result: EntryResult) => void;

/** Kinds that go on with a call or a task which was let in before. */
const LET_IN_BEFORE: ReadonlySet<Entry["kind"]> = new Set([
  "rehold",
  "close",
  "change_video",
  "delete_video",
]);

/** A batch of so many entries had many callers. */
const BUSY_BATCH = 4;
const REST_MS = 1;
/**
 * Characters of kept answers in one transaction at most, but for one entry with more: the calls
 * beside wait for no more than that.
 */
const MOST_KEPT_TEXT = 1024 ** 2;

interface Waiting {
  /** Linger turns from which on it is written; 0 is with the next batch. */
  dueTurn: number;
  /** `undefined` once a close stands for it. */
  entry: Entry | undefined;
  done: Done | undefined;
}

interface FlushWaiter {
  /** Resolved when this many entries are done. */
  readonly entries: number;
  readonly resolve: () => void;
}

const FULL: EntryResult = Object.freeze({
  ok: false,
  reason: "unavailable",
  message: "Too many entries are waiting to be written",
});

/**
 * A queue in front of `write`. When it is full it refuses every entry but the
 * ones of calls and video tasks that were let in before (`rehold`, `close`,
 * `change_video`, `delete_video`), which are bounded by the number of those.
 */
export class GatheringQueue implements CommitQueue {
  readonly #write: CommitQueueOptions["write"];
  readonly #maxPending: number;
  readonly #maxBatch: number;
  readonly #lingerMs: number;
  #waiting: Waiting[] = [];
  /** Holds among `#waiting`, with what follows them, by call id. */
  readonly #unwritten: BriefMap<number, Waiting[]> = new BriefMap();
  #writing = 0;
  /** Whether something in `#waiting` is awaited by somebody. */
  #urgent = false;
  #scheduled = false;
  /** Whether the last batch had one entry. */
  #wasLone = false;
  #lingering: ReturnType<typeof setTimeout> | undefined;
  #resting: ReturnType<typeof setTimeout> | undefined;
  #turn = 0;
  #done = 0;
  readonly #flushWaiters: FlushWaiter[] = [];

  constructor(options: CommitQueueOptions) {
    this.#write = options.write;
    this.#maxPending = options.maxPending ?? 10_000;
    this.#maxBatch = options.maxBatch ?? 1_000;
    this.#lingerMs = options.lingerMs ?? 3;
  }

  get pending(): number {
    return this.#waiting.length + this.#writing;
  }

  get full(): boolean {
    return this.pending >= this.#maxPending;
  }

  commit(entry: Entry): Promise<EntryResult> {
    return new Promise((done) => this.commitThen(entry, done));
  }

  commitThen(entry: Entry, done: (result: EntryResult) => void): void {
    if (this.#refuses(entry)) return queueMicrotask(() => done(FULL));
    this.#push({ entry, done, dueTurn: 0 });
    this.#urgent = true;
    this.#schedule();
  }

  enqueue(entry: Entry, onRefused?: (result: EntryResult) => void): void {
    if (this.#refuses(entry)) return onRefused?.(FULL);
    const done = onRefused === undefined ? undefined : (result: EntryResult) => {
      if (!result.ok) onRefused(result);
    };
    // Somebody waits for what is committed; a hold that nobody waits for may linger.
    this.#push({ entry, done, dueTurn: entry.kind === "hold" ? this.#turn + 2 : 0 });
    this.#linger();
  }

  #push(waiting: Waiting): void {
    const entry = waiting.entry!;
    this.#waiting.push(waiting);
    if (entry.kind === "hold") this.#unwritten.set(entry.call.callId, [waiting]);
    else if (entry.kind === "rehold") this.#followHold(waiting, entry.call.callId);
    else if (entry.kind === "close") this.#takeHold(waiting, entry.call.callId);
  }

  /** A rehold changes the row of its hold, so that one goes first, and both with the next batch. */
  #followHold(waiting: Waiting, callId: number): void {
    const held = this.#unwritten.get(callId);
    if (held === undefined) return;
    for (const earlier of held) earlier.dueTurn = 0;
    held.push(waiting);
  }

  /**
   * Lets a close stand for its unwritten hold as well. The hold is then taken
   * later than it was given, which the balance's owner has made room for.
   */
  #takeHold(waiting: Waiting, callId: number): void {
    const held = this.#unwritten.take(callId);
    if (held === undefined) return;
    for (const earlier of held.reverse()) {
      earlier.entry = undefined;
      if (earlier.done !== undefined) waiting.done = inTurn(earlier.done, waiting.done);
    }
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
    return this.full && !LET_IN_BEFORE.has(entry.kind);
  }

  /** One timer for any number of holds; each of its turns makes those due that waited a whole one. */
  #linger(): void {
    if (this.#lingering !== undefined) return;
    this.#lingering = setTimeout(() => {
      this.#lingering = undefined;
      this.#turn++;
      this.#start();
      if (this.#waiting.length > 0) this.#linger();
    }, this.#lingerMs);
  }

  /** Among many callers a moment's wait makes the next batch larger, and each call cheaper. */
  #rest(): void {
    this.#resting ??= setTimeout(() => {
      this.#resting = undefined;
      this.#start();
    }, REST_MS);
  }

  /**
   * Starts at the end of this turn of the event loop, so that a turn's entries share a batch; or at
   * once where there was nobody to share the last one with.
   */
  #schedule(): void {
    if (this.#scheduled || this.#writing > 0 || this.#resting !== undefined) return;
    if (this.#wasLone) return this.#start();
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.#start();
    });
  }

  #start(): void {
    if (this.#writing > 0 || this.#waiting.length === 0) return;
    const taken = this.#takeBatch();
    if (taken.length === 0) return;
    const batch = taken.filter(({ entry }) => entry !== undefined);
    this.#writing = taken.length;
    if (batch.length === 0) return this.#finish(batch, []);
    this.#write(batch.map(({ entry }) => entry!)).then(
      (results) => this.#finish(batch, results),
      (error: Error) => {
        const { message } = error;
        const refusal = { ok: false, reason: "unavailable", message, mayBeWritten: true } as const;
        this.#finish(batch, batch.map(() => refusal));
      },
    );
  }

  /**
   * What is due. Holds that are not stay behind, and large answers behind another one: of what
   * came later, only what needs the money that these give back waits for them.
   */
  #takeBatch(): readonly Waiting[] {
    const isFlushing = this.#flushWaiters.length > 0;
    const taken: Waiting[] = [];
    const left: Waiting[] = [];
    let text = 0;
    let owed: Set<string | undefined> | undefined;
    for (const waiting of this.#waiting) {
      const { entry } = waiting;
      const more = entry === undefined ? 0 : keptText(entry);
      const hasRoom = more === 0 || text === 0 || text + more <= MOST_KEPT_TEXT;
      const isOwed = owed !== undefined && entry !== undefined && owed.has(takesFrom(entry));
      const isDue = isFlushing || (waiting.dueTurn <= this.#turn && hasRoom && !isOwed);
      if (entry === undefined || (isDue && taken.length < this.#maxBatch)) {
        taken.push(waiting);
        text += more;
        if (entry?.kind === "hold") this.#unwritten.take(entry.call.callId);
      } else {
        left.push(waiting);
        const projectId = givesBackTo(entry);
        if (projectId !== undefined) (owed ??= new Set()).add(projectId);
      }
    }
    this.#waiting = left;
    if (left.length === 0) {
      clearTimeout(this.#lingering);
      this.#lingering = undefined;
    }
    this.#urgent = left.some(({ dueTurn }) => dueTurn === 0);
    return taken;
  }

  /** The next batch is on its way before this one's waiters go on. */
  #finish(batch: readonly Waiting[], results: readonly EntryResult[]): void {
    this.#done += this.#writing;
    this.#writing = 0;
    this.#wasLone = batch.length === 1;
    if (this.#flushWaiters.length > 0) this.#start();
    else if (this.#urgent && batch.length < BUSY_BATCH) this.#start();
    else if (this.#urgent) this.#rest();
    for (let index = 0; index < batch.length; index++) {
      try {
        batch[index]!.done?.(results[index]!);
      } catch (error) {
        // A defect of one keeps no other from its result.
        reportError(error);
      }
    }
    while (this.#flushWaiters.length > 0 && this.#flushWaiters[0]!.entries <= this.#done) {
      this.#flushWaiters.shift()!.resolve();
    }
  }
}

function inTurn(first: Done, second: Done | undefined): Done {
  return (result) => {
    first(result);
    second?.(result);
  };
}
