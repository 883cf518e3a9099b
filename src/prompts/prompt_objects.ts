/**
 * What calls said, in a bucket that several nodes reach. Nodes share nothing else of it: each counts for
 * itself and looks again, and what was forgotten is noted in the bucket.
 *
 * @module
 */

import { waitAtMost } from "../domain/wait_at_most.ts";
import { bytesSource } from "../objects/bytes_source.ts";
import type { ObjectStore } from "../objects/object_store.ts";
import { away } from "../objects/read_back.ts";
import { BucketTrouble } from "./bucket_trouble.ts";
import { FirstTrouble } from "./first_trouble.ts";
import { type PromptFiles, StayingFiles } from "./prompt_files.ts";
import { isRequestId, type KeptObject, PromptKeys } from "./prompt_keys.ts";
import {
  blocksOf,
  type CallToKeep,
  DAY_MS,
  HOUR_MS,
  hoursAbout,
  LEAVES_SHARE,
  type PlacedCall,
  type PlacedPrompt,
  type PromptPlace,
} from "./prompt_place.ts";
import { removeObjects } from "./remove_objects.ts";

/** How far a node's clock is from the one that all nodes know. */
export interface ClockOffset {
  /** Milliseconds that it is ahead. */
  readonly aheadMs: number;
  /** By so many milliseconds that may be wrong; `undefined` as long as nobody has looked. */
  readonly errorMs: number | undefined;
}

/** What it works with. */
export interface PromptObjectsOptions {
  /** Waits long for a server, and tries again. */
  readonly store: ObjectStore;
  /** The same for what somebody waits for: it gives up in seconds. */
  readonly quick: ObjectStore;
  /** What all keys begin with: "", or a path with `/` at its end. */
  readonly prefix: string;
  /** What this node has kept in its data dir before there was a bucket. */
  readonly files: PromptFiles;
  /** Milliseconds that only rise. */
  readonly monotonic: () => number;
  /** As of now. */
  readonly offset: () => ClockOffset;
  /** Whether this node removes what has been kept long enough: of all that use the bucket, one does. */
  readonly isChosen: () => Promise<boolean>;
  /** Whoever reads waits so long for what is on its way. Default: 5 s. */
  readonly patienceMs?: number;
}

/** What this node knows of what a project's take. */
interface Count {
  /** When the bucket was last asked for it, by `monotonic`. */
  readonly seenAt: number;
  /** Then. */
  seen: number;
  /** What this node has added since. */
  added: number;
}

/** Nodes go that far over what a project may have, each, before they look again. */
const UNSEEN_SHARE = 0.01;
/** Whoever has a project forgotten waits so long for its objects to go; the rest goes after it. */
const FORGET_MS = 5_000;
/** Between two looks at all that is kept; no count is older. */
const LOOK_MS = HOUR_MS;
/**
 * The end of the process waits so long for what is under way: who looks at the bucket is asked of a
 * database, which may be silent for minutes. What it would do then is not begun.
 */
const STOP_PATIENCE_MS = 2_000;
const PATIENCE_MS = 5_000;
/** No node starts whose clock is further from that of all. */
const MOST_APART_MS = 5 * 60_000;
/** What a forgetting that fails means. */
const FORGET_AGAIN = "Not all of it may be deleted: do it again";

export class PromptObjects implements PromptPlace {
  readonly atOnce = 8;
  readonly reapEveryMs = 10 * 60_000;
  readonly patienceMs: number;
  readonly #options: PromptObjectsOptions;
  readonly #keys: PromptKeys;
  readonly #counts = new Map<string, Count>();
  readonly #shrinking = new Set<string>();
  readonly #end = new AbortController();
  readonly #background = new Set<Promise<void>>();
  #expiring: Promise<void> | undefined;
  /** Where its last look ended, as the bucket did: the next one begins behind it. */
  #lookedUntil: string | undefined;
  /** When this node has begun its last look at all that is kept, and what failed of it. */
  #looked: { readonly at: number; readonly trouble: FirstTrouble } | undefined;

  constructor(options: PromptObjectsOptions) {
    this.#options = options;
    this.#keys = new PromptKeys(options.prefix);
    this.patienceMs = options.patienceMs ?? PATIENCE_MS;
  }

  get hasEnded(): boolean {
    return this.#signal.aborted;
  }

  async write(call: CallToKeep, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (call.isForgotten()) return;
    await this.#put(call, { at: this.#earliest(call.at), bytes });
    await this.#makeRoom(call.projectId, call.mostBytes);
  }

  async read({ projectId, requestId, at }: PlacedCall): Promise<PlacedPrompt | undefined> {
    if (!isRequestId(requestId)) return undefined;
    return await away(this.#read(projectId, requestId, at), "Try again");
  }

  /**
   * By its own time, once an hour, where this node is the one that does it. What is there as files of this
   * node is brought to the bucket before.
   */
  expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void> {
    return this.#expiring ??= this.#inBackground(async () => {
      const { files } = this.#options;
      const works = [
        () => files.expire(now, daysOf),
        () => this.#takeFiles(),
        () => this.#expireAll(now - this.#options.offset().aheadMs, daysOf),
      ];
      const trouble = new FirstTrouble();
      for (const work of works) await trouble.of(work);
      trouble.throwMet();
    }).finally(() => this.#expiring = undefined);
  }

  async forget(projectId: string, now: number): Promise<number> {
    const inBucket = await away(this.#forget(projectId, this.#latest(now)), FORGET_AGAIN);
    return inBucket + await this.#options.files.forget(projectId);
  }

  async stop(): Promise<void> {
    this.#end.abort();
    const ended = Promise.allSettled([...this.#background]);
    await Promise.allSettled([waitAtMost(STOP_PATIENCE_MS, ended), this.#options.files.stop()]);
  }

  troubleOf(error: unknown): string {
    if (error instanceof StayingFiles) return this.#options.files.troubleOf(error);
    if (error instanceof NobodyChosen) {
      return "the gateway's database does not say which node deletes them";
    }
    // The bucket's own words name it.
    return "the bucket that has the gateway's films and files does not take or give them";
  }

  /** The earliest that it may be by the clock of all when it is `at` by this node's. */
  #earliest(at: number): number {
    const { aheadMs, errorMs = MOST_APART_MS } = this.#options.offset();
    return Math.max(0, Math.floor(at - aheadMs - errorMs));
  }

  /** Likewise the latest. */
  #latest(at: number): number {
    const { aheadMs, errorMs = MOST_APART_MS } = this.#options.offset();
    return Math.ceil(at - aheadMs + errorMs);
  }

  async #forget(projectId: string, asked: number): Promise<number> {
    const { quick, store } = this.#options;
    // Noted first: nobody is shown it from then on, and what a node is adding sees the note. What was
    // forgotten stays so, should the clock of all be set back.
    const until = Math.max(asked, await this.#forgottenUntil(projectId, quick));
    const note = new TextEncoder().encode(String(until));
    await quick.put(this.#keys.noteOf(projectId), await bytesSource(note));
    const listed = (from: ObjectStore) =>
      this.#listed(this.#keys.folderOf(projectId), from, ({ at }) => at <= until);
    let bytes = 0;
    for await (const { size } of listed(quick)) bytes += size;
    this.#counts.delete(projectId);
    const removed = this.#inBackground(() => this.#remove(listed(store), store));
    await waitAtMost(FORGET_MS, removed);
    return bytes;
  }

  /** Brings what is in the data dir to the bucket. */
  async #takeFiles(): Promise<void> {
    await this.#options.files.leave((leaving) => {
      // Nobody knows any more how far the clock was ahead when it was written. The same file has the same
      // key, should it be brought twice.
      const at = Math.max(0, Math.floor(leaving.at - MOST_APART_MS));
      return this.#put(leaving, { at, bytes: leaving.bytes });
    });
  }

  /** Adds it, and takes it away again where its project was forgotten meanwhile, on whichever node. */
  async #put(
    { projectId, requestId, at: ownAt, days }: PlacedCall & { readonly days: number },
    { at, bytes }: { readonly at: number; readonly bytes: Uint8Array<ArrayBuffer> },
  ): Promise<void> {
    const { store } = this.#options;
    const key = this.#keys.keyOf({ projectId, requestId, days, ownAt, at });
    await store.put(key, await bytesSource(bytes), { signal: this.#signal });
    if (at <= await this.#forgottenUntil(projectId, store)) {
      return await store.delete(key, this.#signal);
    }
    const count = this.#counts.get(projectId);
    if (count !== undefined) count.added += blocksOf(bytes.length);
  }

  async #read(
    projectId: string,
    requestId: string,
    at: number,
  ): Promise<PlacedPrompt | undefined> {
    const { quick } = this.#options;
    for (const hour of new Set(hoursAbout(at))) {
      const begins = `${this.#keys.folderOf(projectId)}${hour}/${requestId}.`;
      for await (const object of this.#listed(begins, quick)) {
        if (object.at <= await this.#forgottenUntil(projectId, quick)) return undefined;
        const found = await quick.get(object.key);
        if (found === undefined) continue;
        const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
        return { bytes, until: object.at + object.days * DAY_MS };
      }
    }
    return undefined;
  }

  /** Project by project: however many there are, each has its list, and its own trouble. */
  async #expireAll(
    now: number,
    daysOf: (projectId: string) => number | undefined,
  ): Promise<void> {
    const { monotonic } = this.#options;
    if (!await this.#isChosen()) return void (this.#looked = undefined);
    const at = monotonic();
    if (this.#looked !== undefined && at - this.#looked.at < LOOK_MS) {
      // As long as nobody has looked again, it lasts.
      return this.#looked.trouble.throwMet();
    }
    const trouble = new BucketTrouble();
    for await (const folder of this.#foldersInTurn()) {
      const projectId = this.#keys.projectOf(folder);
      await trouble.of(() => this.#expire(projectId, now, daysOf(projectId) ?? Infinity));
      if (!trouble.isOfBucket) continue;
      this.#lookedUntil = folder;
      return trouble.throwMet();
    }
    this.#lookedUntil = undefined;
    this.#looked = { at, trouble };
    trouble.throwMet();
  }

  /** @throws {NobodyChosen} Where nobody says. */
  async #isChosen(): Promise<boolean> {
    try {
      return await this.#options.isChosen();
    } catch (cause) {
      throw new NobodyChosen("Nobody says which node deletes what was kept", { cause });
    }
  }

  /** All, first those behind the one at which the last look ended. */
  async *#foldersInTurn(): AsyncGenerator<string> {
    const { store } = this.#options;
    const until = this.#lookedUntil ?? "";
    const folders = () => store.folders(this.#keys.begins, this.#signal);
    for await (const folder of folders()) if (folder > until) yield folder;
    if (until === "") return;
    for await (const folder of folders()) if (folder <= until) yield folder;
  }

  async #expire(projectId: string, now: number, daysNow: number): Promise<void> {
    const { store, monotonic } = this.#options;
    const count: Count = { seenAt: monotonic(), seen: 0, added: 0 };
    let forgotten: number | undefined;
    const ended = this.#listed(
      this.#keys.folderOf(projectId),
      store,
      async ({ at, days, size }) => {
        forgotten ??= await this.#forgottenUntil(projectId, store);
        if (at + Math.min(days, daysNow) * DAY_MS <= now || at <= forgotten) return true;
        count.seen += size;
        return false;
      },
    );
    await this.#remove(ended, store);
    this.#counts.set(projectId, count);
  }

  /** Has the oldest make way, should there be too many; looks only as often as that may be. */
  async #makeRoom(projectId: string, mostBytes: number): Promise<void> {
    if (this.#shrinking.has(projectId)) return;
    this.#shrinking.add(projectId);
    try {
      const found = this.#counts.get(projectId);
      const isOld = found !== undefined && this.#options.monotonic() - found.seenAt >= LOOK_MS;
      const count = isOld ? undefined : found;
      const left = mostBytes - (count?.seen ?? 0);
      const unseen = Math.max(left / 4, mostBytes * UNSEEN_SHARE);
      if (count !== undefined && count.added < unseen && count.added <= left) return;
      const sum = await this.#look(projectId, this.#options.store);
      if (sum <= mostBytes) return;
      await this.#remove(
        this.#oldest(projectId, sum - mostBytes * LEAVES_SHARE),
        this.#options.store,
      );
      await this.#look(projectId, this.#options.store);
    } finally {
      this.#shrinking.delete(projectId);
    }
  }

  /** Asks the bucket what a project's take. */
  async #look(projectId: string, store: ObjectStore): Promise<number> {
    const seenAt = this.#options.monotonic();
    let seen = 0;
    for await (const { size } of this.#listed(this.#keys.folderOf(projectId), store)) seen += size;
    this.#counts.set(projectId, { seenAt, seen, added: 0 });
    return seen;
  }

  /** Those that take so many bytes: hour by hour, in each by the calls' time. */
  async *#oldest(projectId: string, bytes: number): AsyncGenerator<KeptObject> {
    let hour: KeptObject[] = [];
    let left = bytes;
    function* takeHour() {
      for (const object of hour.sort((a, b) => a.at - b.at)) {
        if (left <= 0) return;
        left -= object.size;
        yield object;
      }
    }
    for await (const object of this.#listed(this.#keys.folderOf(projectId), this.#options.store)) {
      if (hour.length > 0 && hour[0]!.hour !== object.hour) {
        yield* takeHour();
        if (left <= 0) return;
        hour = [];
      }
      hour.push(object);
    }
    yield* takeHour();
  }

  async #remove(objects: AsyncIterable<KeptObject>, store: ObjectStore): Promise<void> {
    await removeObjects(objects, { store, signal: this.#signal });
  }

  /** Up to when a project's calls are forgotten; `-Infinity` where they never were. */
  async #forgottenUntil(projectId: string, store: ObjectStore): Promise<number> {
    const note = await store.get(this.#keys.noteOf(projectId), { signal: this.#signal });
    return note === undefined ? -Infinity : Number(await new Response(note.body).text());
  }

  /** In order of hours. */
  async *#listed(
    begins: string,
    store: ObjectStore,
    isWanted: (object: KeptObject) => boolean | Promise<boolean> = () => true,
  ): AsyncGenerator<KeptObject> {
    for await (const listed of store.list(begins, this.#signal)) {
      const object = this.#keys.read(listed);
      if (object !== undefined && await isWanted(object)) yield object;
    }
  }

  /** What is broken off by the end is gone on with by the next start. */
  #inBackground(work: () => Promise<void>): Promise<void> {
    const done = (async () => {
      try {
        if (!this.#signal.aborted) await work();
      } catch (error) {
        if (!this.#signal.aborted) throw error;
      }
    })();
    this.#background.add(done);
    const over = () => void this.#background.delete(done);
    done.then(over, over);
    return done;
  }

  get #signal(): AbortSignal {
    return this.#end.signal;
  }
}

/** Which node removes what is due is not known. */
class NobodyChosen extends Error {}
