/**
 * What calls said, in a bucket that several nodes reach:
 * `prompts/<project>/<hour>/<request id>.<days>d.<milliseconds>.gz` below the prefix. Nodes share nothing
 * else of it: each counts for itself and looks again, and what was forgotten is noted in the bucket.
 *
 * @module
 */

import { waitAtMost } from "../domain/wait_at_most.ts";
import { bytesSource } from "../objects/bytes_source.ts";
import type { ObjectStore } from "../objects/object_store.ts";
import { away } from "../objects/read_back.ts";
import type { PromptFiles } from "./prompt_files.ts";
import {
  blocksOf,
  type CallToKeep,
  DAY_MS,
  hoursAbout,
  hourText,
  LEAVES_SHARE,
  type PlacedCall,
  type PlacedPrompt,
  type PromptPlace,
} from "./prompt_place.ts";

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
}

/** An object of this, as its key says. */
interface KeptObject {
  readonly key: string;
  readonly projectId: string;
  readonly hour: string;
  readonly requestId: string;
  readonly days: number;
  readonly at: number;
  /** In whole blocks. */
  readonly size: number;
}

/** What this node knows of what a project's take. */
interface Count {
  /** When the bucket was last asked for it. */
  seenAt: number;
  /** Then. */
  seen: number;
  /** What this node has added since. */
  added: number;
}

/** What keys begin with, below the prefix. */
const PROMPTS_PREFIX = "prompts/";
const KEY = /^prompts\/([^/]+)\/(\d{10})\/(req_[a-z0-9]{1,60})\.(\d{1,5})d\.(\d{1,16})\.gz$/;
const REQUEST_ID = /^req_[a-z0-9]{1,60}$/;
/** Behind a project's part of a key, after all hours: until when its prompts are forgotten. */
const FORGOTTEN = "forgotten";
/** A count that is told to somebody is no older. */
const COUNT_MS = 5_000;
/** Nodes go that far over what a project may have, each, before they look again. */
const UNSEEN_SHARE = 0.01;
/** Whoever has a project forgotten waits so long for its objects to go; the rest goes after it. */
const FORGET_MS = 5_000;
/** Requests at one time that remove something. */
const REMOVALS = 8;

export class PromptObjects implements PromptPlace {
  readonly atOnce = 8;
  readonly reapEveryMs = 3_600_000;
  readonly #options: PromptObjectsOptions;
  readonly #counts = new Map<string, Count>();
  readonly #shrinking = new Set<string>();
  readonly #end = new AbortController();
  #background: Promise<unknown> = Promise.resolve();

  constructor(options: PromptObjectsOptions) {
    this.#options = options;
  }

  get hasEnded(): boolean {
    return this.#signal.aborted;
  }

  async bytesOf(projectId: string): Promise<number> {
    const count = this.#counts.get(projectId);
    if (count !== undefined && this.#options.monotonic() - count.seenAt < COUNT_MS) {
      return count.seen + count.added;
    }
    return await away(this.#look(projectId, this.#options.quick), "Try again");
  }

  async write(call: CallToKeep, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    if (call.isForgotten()) return;
    await this.#put(call, bytes);
    await this.#makeRoom(call.projectId, call.mostBytes);
  }

  async read({ projectId, requestId, at }: PlacedCall): Promise<PlacedPrompt | undefined> {
    if (!REQUEST_ID.test(requestId)) return undefined;
    return await away(this.#read(projectId, requestId, at), "Try again");
  }

  /** By its own time. What is there as files of this node is brought to the bucket before. */
  expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void> {
    return this.#inBackground(async () => {
      await this.#options.files.leave((leaving) => this.#put(leaving, leaving.bytes));
      await this.#expire(now, daysOf);
    });
  }

  async forget(projectId: string, now: number): Promise<number> {
    return await away(this.#forget(projectId, now), "Not all of it may be deleted: do it again");
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await Promise.all([this.#background, this.#options.files.stop()]);
  }

  /** The bucket's own words name it. */
  troubleOf(): string {
    return "the bucket that has the gateway's films and files does not take or give them";
  }

  async #forget(projectId: string, now: number): Promise<number> {
    const { quick, store, files } = this.#options;
    // Noted first: nobody is shown it from then on, and what another node is adding sees the note.
    const note = new TextEncoder().encode(String(now));
    await quick.put(this.#noteOf(projectId), await bytesSource(note));
    const listed = (from: ObjectStore) =>
      this.#listed(this.#folderOf(projectId), from, ({ at }) => at <= now);
    let bytes = await files.forget(projectId);
    for await (const { size } of listed(quick)) bytes += size;
    this.#counts.delete(projectId);
    const removed = this.#inBackground(() => this.#remove(listed(store), store));
    await waitAtMost(FORGET_MS, removed);
    return bytes;
  }

  /** Adds it, and takes it away again where its project was forgotten meanwhile, on whichever node. */
  async #put(
    { projectId, requestId, at, days }: PlacedCall & { readonly days: number },
    bytes: Uint8Array<ArrayBuffer>,
  ): Promise<void> {
    const { store } = this.#options;
    const key = `${this.#folderOf(projectId)}${hourText(at)}/${requestId}.${days}d.${at}.gz`;
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
      const prefix = `${this.#folderOf(projectId)}${hour}/${requestId}.`;
      for await (const object of this.#listed(prefix, quick)) {
        if (object.at <= await this.#forgottenUntil(projectId, quick)) return undefined;
        const found = await quick.get(object.key);
        if (found === undefined) continue;
        const bytes = new Uint8Array(await new Response(found.body).arrayBuffer());
        return { bytes, until: object.at + object.days * DAY_MS };
      }
    }
    return undefined;
  }

  async #expire(now: number, daysOf: (projectId: string) => number | undefined): Promise<void> {
    const { store, prefix, monotonic } = this.#options;
    const counts = new Map<string, Count>();
    let last: { projectId: string; daysNow: number; forgotten: number } | undefined;
    const ended = this.#listed(prefix + PROMPTS_PREFIX, store, async (object) => {
      const { projectId, at, days, size } = object;
      if (last?.projectId !== projectId) {
        const daysNow = daysOf(projectId) ?? Infinity;
        last = { projectId, daysNow, forgotten: await this.#forgottenUntil(projectId, store) };
        counts.set(projectId, { seenAt: monotonic(), seen: 0, added: 0 });
      }
      const { daysNow, forgotten } = last;
      if (at + Math.min(days, daysNow) * DAY_MS <= now || at <= forgotten) return true;
      counts.get(projectId)!.seen += size;
      return false;
    });
    await this.#remove(ended, store);
    this.#counts.clear();
    for (const [projectId, count] of counts) this.#counts.set(projectId, count);
  }

  /** Has the oldest make way, should there be too many; looks only as often as that may be. */
  async #makeRoom(projectId: string, mostBytes: number): Promise<void> {
    if (this.#shrinking.has(projectId)) return;
    this.#shrinking.add(projectId);
    try {
      const count = this.#counts.get(projectId);
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
    for await (const { size } of this.#listed(this.#folderOf(projectId), store)) seen += size;
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
    for await (const object of this.#listed(this.#folderOf(projectId), this.#options.store)) {
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
    let lot: KeptObject[] = [];
    const removeLot = async () => {
      const removed = lot;
      lot = [];
      await Promise.all(removed.map(({ key }) => store.delete(key, this.#signal)));
    };
    for await (const object of objects) {
      lot.push(object);
      if (lot.length >= REMOVALS) await removeLot();
    }
    await removeLot();
  }

  /** Up to when a project's calls are forgotten; `-Infinity` where they never were. */
  async #forgottenUntil(projectId: string, store: ObjectStore): Promise<number> {
    const note = await store.get(this.#noteOf(projectId), { signal: this.#signal });
    return note === undefined ? -Infinity : Number(await new Response(note.body).text());
  }

  /** In order of projects and hours. */
  async *#listed(
    begins: string,
    store: ObjectStore,
    isWanted: (object: KeptObject) => boolean | Promise<boolean> = () => true,
  ): AsyncGenerator<KeptObject> {
    const { prefix } = this.#options;
    for await (const { key, bytes } of store.list(begins, this.#signal)) {
      const [, projectId, hour, requestId, days, at] = KEY.exec(key.slice(prefix.length)) ?? [];
      if (projectId === undefined) continue;
      const object = {
        ...{ key, projectId, hour: hour!, requestId: requestId! },
        ...{ days: Number(days), at: Number(at), size: blocksOf(bytes) },
      };
      if (await isWanted(object)) yield object;
    }
  }

  #folderOf(projectId: string): string {
    return `${this.#options.prefix}${PROMPTS_PREFIX}${projectId}/`;
  }

  #noteOf(projectId: string): string {
    return this.#folderOf(projectId) + FORGOTTEN;
  }

  /** What is broken off by the end is gone on with by the next start. */
  #inBackground(work: () => Promise<void>): Promise<void> {
    const done = this.#background.then(async () => {
      try {
        if (!this.#signal.aborted) await work();
      } catch (error) {
        if (!this.#signal.aborted) throw error;
      }
    });
    this.#background = done.catch(() => {});
    return done;
  }

  get #signal(): AbortSignal {
    return this.#end.signal;
  }
}
