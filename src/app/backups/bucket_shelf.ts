/**
 * Backups by schedule in a bucket: written and read again on this disk first, then sent. What is noted
 * before and after makes that one either is there whole, or counts as none.
 *
 * @module
 */

import { join } from "node:path";
import type { BackupReport } from "../../admin/base/backup_report.ts";
import { ifThere } from "../../files/if_there.ts";
import type { ObjectStore } from "../../objects/object_store.ts";
import { backupName, type Backups } from "./backups.ts";
import { FILM, filmsIn } from "./copy_films.ts";
import { fileSource, measuredSource } from "../../objects/file_source.ts";
import type { MadeState } from "./made_backups.ts";
import type { FilmTimes, MakeOptions, Shelf } from "./shelf.ts";

/** What it works with. */
export interface BucketShelfOptions {
  readonly backups: Pick<Backups, "create" | "made">;
  readonly dataDir: string;
  /** What all keys begin with; "" for none. */
  readonly path: string;
}

/** In `<data>/backups`, while it is on its way. */
const STAGED = "on-its-way-to-the-bucket.db";

export class BucketShelf implements Shelf {
  readonly place: string;
  readonly #store: ObjectStore;
  readonly #options: BucketShelfOptions;
  readonly #prefix: string;

  constructor(store: ObjectStore, options: BucketShelfOptions) {
    this.#store = store;
    this.#options = options;
    this.#prefix = options.path === "" ? "" : `${options.path}/`;
    this.place = store.addressOf(options.path).replace(/\/$/, "");
  }

  holds(file: string): boolean {
    return file.startsWith(`${this.place}/`);
  }

  async make(now: number, { state, signal }: MakeOptions): Promise<BackupReport> {
    const { backups, dataDir } = this.#options;
    const staged = join(dataDir, "backups", STAGED);
    const key = this.#prefix + backupName(now);
    const file = this.#store.addressOf(key);
    // Before anything is written here: wrong credentials are told at once, and nothing is written over.
    if (await this.#store.head(key, signal) !== undefined) {
      throw new Error(`Cannot write ${file}: there is an object of that name already`);
    }
    await this.#probe(signal);
    await Deno.mkdir(join(dataDir, "backups"), { recursive: true, mode: 0o700 });
    await ifThere(Deno.remove(staged));
    try {
      const report = await backups.create({ file: staged });
      const { bytes, sha256, differences, omitted } = report;
      const underway = { file, at: now, bytes, sha256, isGood: differences.length + omitted === 0 };
      await backups.made.write({ ...state, underway });
      await this.#store.put(key, fileSource(staged, report), {
        signal,
        onUpload: (uploadId) =>
          backups.made.write({ ...state, underway: { ...underway, uploadId } }),
      });
      return { ...report, file };
    } finally {
      await ifThere(Deno.remove(staged));
    }
  }

  async settle({ underway, ...state }: MadeState, signal: AbortSignal): Promise<MadeState> {
    // In a place that is not asked any more it stays as it is.
    if (underway === undefined || !this.holds(underway.file)) return state;
    const { uploadId, ...backup } = underway;
    const key = this.#keyOf(backup.file);
    const facts = await this.#store.head(key, signal);
    if (facts?.bytes === backup.bytes && facts.sha256 === backup.sha256) {
      return { ...state, backups: [...state.backups, backup] };
    }
    if (uploadId !== undefined) await this.#store.abandon(key, uploadId, signal);
    return state;
  }

  async present(
    made: MadeState["backups"],
    signal: AbortSignal,
  ): Promise<MadeState["backups"]> {
    const sizes = new Map<string, number>();
    for await (const { key, bytes } of this.#store.list(`${this.#prefix}tollgate-`, signal)) {
      sizes.set(this.#store.addressOf(key), bytes);
    }
    return made.filter(({ file, bytes }) => sizes.get(file) === bytes);
  }

  async remove(file: string, signal: AbortSignal): Promise<void> {
    await this.#store.delete(this.#keyOf(file), signal);
  }

  async copyFilms({ gone, now, oldestAt, signal }: FilmTimes): Promise<Record<string, number>> {
    const folder = join(this.#options.dataDir, "videos");
    const prefix = `${this.#prefix}films/`;
    const kept = new Map<string, number>();
    for await (const { key, bytes } of this.#store.list(prefix, signal)) {
      const name = key.slice(prefix.length);
      if (FILM.test(name)) kept.set(name, bytes);
    }
    const there = await filmsIn(folder);
    for (const name of there) {
      signal.throwIfAborted();
      const path = join(folder, name);
      const film = await ifThere(Deno.lstat(path));
      if (film === undefined || kept.get(name) === film.size) continue;
      // It may be deleted in this moment: then it is none that anybody misses.
      await ifThere(
        measuredSource(path).then((source) => this.#store.put(prefix + name, source, { signal })),
      );
    }
    const left: Record<string, number> = {};
    for (const name of kept.keys()) {
      if (there.has(name)) continue;
      const since = gone[name] ?? now;
      if (since < oldestAt) await this.#store.delete(prefix + name, signal);
      else left[name] = since;
    }
    return left;
  }

  /** The head of an object says nothing of why it is not there: a list does. */
  async #probe(signal: AbortSignal): Promise<void> {
    for await (const _ of this.#store.list(`${this.#prefix}tollgate-`, signal)) return;
  }

  #keyOf(file: string): string {
    return this.#prefix + file.slice(this.place.length + 1);
  }
}
