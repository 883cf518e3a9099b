/**
 * Films in a bucket. Each attempt has a key of its own, so that no object is ever written twice: the
 * task's row says which one counts. What is being written lies in the data dir's folder, as do films
 * that were made before there was a bucket.
 *
 * @module
 */

import { Turns } from "../../domain/turns.ts";
import type { VideoFile, VideoTask } from "../../domain/video_task.ts";
import { bytesSource } from "../../objects/bytes_source.ts";
import { fileSource, measuredSource } from "../../objects/file_source.ts";
import type { ObjectSource, ObjectStore } from "../../objects/object_store.ts";
import { away, type StoredObject, storedObject } from "../../objects/read_back.ts";
import type { ContentFiles } from "./content_files.ts";
import type { FilmContent, FilmStore, FilmVariant, KeepOptions, WholeFilm } from "./film_store.ts";

/** What films in a bucket work with. */
export interface BucketFilmsOptions {
  /** Waits long for a server, and tries again. */
  readonly store: ObjectStore;
  /** The same bucket for what somebody waits for: it gives up in seconds. */
  readonly quick: ObjectStore;
  /** What all keys begin with: "", or a path with `/` at its end. */
  readonly prefix: string;
  /** Where films are written, and where those lie that have no key. */
  readonly scratch: ContentFiles;
  /** Whether callers are sent to the bucket for films. */
  readonly redirects: boolean;
  /** Waits; resolves early when the signal fires. */
  readonly delay: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Hears once of each time that films cannot be kept, and of what is left in the bucket. */
  readonly onTrouble: (error: unknown) => void;
}

/** Between two tries to keep a film, as long as the bucket is away. */
const KEEP_RETRY_MS = 5_000;
const SIGN_EVERY_MS = 5_000;
/** After a removal that failed, the next ones fail at once for so long: sweeps have many. */
const REMOVALS_REST_MS = 20_000;
/** Films that are sent at one time: each takes the memory of one part, and a few fill a line. */
const UPLOADS = 4;

export class BucketFilms implements FilmStore {
  readonly #options: BucketFilmsOptions;
  readonly #turns = new Turns(UPLOADS);
  /** Tasks whose films wait for the bucket. */
  readonly #waiting = new Set<string>();
  #removalsRestUntil = 0;

  constructor(options: BucketFilmsOptions) {
    this.#options = options;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  async keep(
    { id, attempt }: Pick<VideoTask, "id" | "attempt">,
    { part, hasThumbnail }: WholeFilm,
    options: KeepOptions,
  ): Promise<VideoFile> {
    const { scratch } = this.#options;
    const { bytes } = part;
    const sha256 = part.end();
    scratch.requirePart(id, part);
    const key = filmKey(id, attempt);
    // The bucket has deadlines of its own: as long as it is asked, the attempt is alive.
    const signs = setInterval(options.onSign, SIGN_EVERY_MS);
    try {
      await this.#untilSent(id, options, async () => {
        if (hasThumbnail) {
          const thumbnail = await measuredSource(scratch.thumbnailPath(id));
          await this.#send(thumbnailKey(key), thumbnail, options);
        }
        await this.#send(key, fileSource(part.path, { bytes, sha256 }), options);
      });
    } finally {
      clearInterval(signs);
      this.#waiting.delete(id);
    }
    scratch.requirePart(id, part);
    await scratch.removePart(id);
    await scratch.removeContent({ id });
    return { bytes, sha256, hasThumbnail, key };
  }

  contentOf(task: VideoTask, variant: FilmVariant): FilmContent {
    const { scratch } = this.#options;
    const { file } = task;
    if (file?.key === undefined) return scratch.contentOf(task, variant);
    return variant === "video"
      ? this.#objectOf(file.key, file)
      : this.#objectOf(thumbnailKey(file.key));
  }

  placeOf(task: VideoTask): string {
    const { quick, prefix, scratch } = this.#options;
    const key = task.file?.key;
    return key === undefined ? scratch.placeOf(task) : quick.addressOf(prefix + key);
  }

  async writeReference(taskId: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
    const { quick, prefix } = this.#options;
    const source = await bytesSource(bytes);
    await away(quick.put(prefix + referenceKey(taskId), source), "Nothing was stored or charged");
  }

  async readReference(taskId: string): Promise<Uint8Array<ArrayBuffer>> {
    const { quick, prefix, scratch } = this.#options;
    try {
      // Of a task that was created before there was a bucket.
      return await scratch.readReference(taskId);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    const key = prefix + referenceKey(taskId);
    const found = await away(quick.get(key), "It is tried again");
    if (found === undefined) throw new Deno.errors.NotFound(`There is no ${quick.addressOf(key)}`);
    return await away(new Response(found.body).bytes(), "It is tried again");
  }

  /** What cannot be removed now is swept later. */
  async removeReference(taskId: string): Promise<void> {
    const { quick, prefix, scratch, onTrouble } = this.#options;
    await scratch.removeReference(taskId);
    await this.#removing(() => quick.delete(prefix + referenceKey(taskId))).catch(onTrouble);
  }

  async removeContent(task: VideoTask): Promise<void> {
    const { quick, prefix, scratch } = this.#options;
    const { file } = task;
    await scratch.removeContent(task);
    if (file?.key === undefined) return;
    const key = prefix + file.key;
    await this.#removing(async () => {
      await quick.delete(key);
      if (file.hasThumbnail) await quick.delete(thumbnailKey(key));
    });
  }

  async removeAll(taskId: string): Promise<void> {
    const { quick, prefix, scratch } = this.#options;
    await scratch.removeAll(taskId);
    await this.#removing(async () => {
      for await (const { key } of quick.list(`${prefix}${taskId}/`)) await quick.delete(key);
    });
  }

  #objectOf(name: string, known?: Pick<VideoFile, "bytes" | "sha256">): StoredObject {
    const { quick, prefix, redirects } = this.#options;
    return storedObject({ quick, key: prefix + name, known, redirects });
  }

  #send(
    name: string,
    source: ObjectSource,
    { hardSignal }: Pick<KeepOptions, "hardSignal">,
  ): Promise<void> {
    const { store, prefix } = this.#options;
    return this.#turns.take(() => store.put(prefix + name, source, { signal: hardSignal }));
  }

  /** A bucket that is away is waited for, as a full disk is: nothing is charged without a film. */
  async #untilSent(
    taskId: string,
    { signal, hardSignal }: KeepOptions,
    send: () => Promise<void>,
  ): Promise<void> {
    const { delay, onTrouble } = this.#options;
    for (;;) {
      try {
        return await send();
      } catch (error) {
        // Its part was taken away: the task is another attempt's, or nobody's.
        if (error instanceof Deno.errors.NotFound || hardSignal.aborted) throw error;
        if (!this.#waiting.has(taskId)) {
          this.#waiting.add(taskId);
          onTrouble(new Error(`Cannot keep the film of ${taskId} yet: ${reasonOf(error)}`));
        }
      }
      await delay(KEEP_RETRY_MS, signal);
      signal.throwIfAborted();
    }
  }

  async #removing(remove: () => Promise<void>): Promise<void> {
    if (performance.now() < this.#removalsRestUntil) {
      throw new Error("The bucket did not answer a moment ago");
    }
    try {
      await remove();
    } catch (error) {
      this.#removalsRestUntil = performance.now() + REMOVALS_REST_MS;
      throw error;
    }
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The key of an attempt's film, below the prefix. */
export function filmKey(taskId: string, attempt: number): string {
  return `${taskId}/${attempt}.mp4`;
}

/** The key of the thumbnail of a film. */
export function thumbnailKey(film: string): string {
  return film.replace(/\.mp4$/, ".webp");
}

/** The key of a task's reference image. */
export function referenceKey(taskId: string): string {
  return `${taskId}/input`;
}
