/**
 * Uploaded files in a bucket, where several processes have to reach them. Each has a key that is never
 * written twice: its row says which one counts.
 *
 * @module
 */

import { randomName } from "../domain/ids.ts";
import { Turns } from "../domain/turns.ts";
import type { UploadedFile } from "../domain/uploaded_file.ts";
import { ifThere } from "../files/if_there.ts";
import { PART } from "./upload_files.ts";
import { fileSource, saveObject } from "../objects/file_source.ts";
import type { ObjectStore } from "../objects/object_store.ts";
import { away, type StoredObject, storedObject } from "../objects/read_back.ts";

/** A bucket that is open. */
export interface UploadBucketOptions {
  /** Waits long for a server, and tries again. */
  readonly store: ObjectStore;
  /** The same for what somebody waits for: it gives up in seconds. */
  readonly quick: ObjectStore;
  /** What all keys begin with: "", or a path with `/` at its end. */
  readonly prefix: string;
}

/** A file that has a key. */
export type BucketFile = Pick<UploadedFile, "bytes" | "sha256"> & { readonly objectKey: string };

/** What keys of files begin with, below the prefix. */
export const UPLOADS_PREFIX = "files/";
const RANDOM_LETTERS = 8;
/** Files that are sent at one time for who waits: each takes the memory of one part. */
const AT_ONCE = 8;
/** Likewise for work in the background, which waits for a bucket that is away. */
const AT_ONCE_FOR_WORK = 2;
/** A key below the prefix, with the id of its file. */
export const UPLOAD_KEY = /^files\/(file-[a-z2-7]{26})\/[a-z2-7]{8}$/;

export class UploadBucket {
  readonly #options: UploadBucketOptions;
  readonly #callers = new Turns(AT_ONCE);
  readonly #work = new Turns(AT_ONCE_FOR_WORK);

  constructor(options: UploadBucketOptions) {
    this.#options = options;
  }

  /**
   * Puts a file there that lies at a path, for somebody who waits.
   *
   * @returns Its key, when it is there to stay.
   * @throws {GatewayError} `films_away`
   */
  async put(path: string, file: Pick<UploadedFile, "id" | "bytes" | "sha256">): Promise<string> {
    const { quick } = this.#options;
    return await this.#callers.take(() =>
      away(this.#put(quick, { path, file }), "Nothing was stored")
    );
  }

  /** Likewise for work in the background. Rejects with why it cannot be put there for now. */
  async putPatiently(
    path: string,
    file: Pick<UploadedFile, "id" | "bytes" | "sha256">,
    signal: AbortSignal,
  ): Promise<string> {
    return await this.#work.take(() => {
      signal.throwIfAborted();
      return this.#put(this.#options.store, { path, file, signal });
    });
  }

  /** Its bytes, to be sent. */
  contentOf({ objectKey, bytes, sha256 }: BucketFile): StoredObject {
    const { quick, prefix } = this.#options;
    const key = prefix + objectKey;
    return storedObject({ quick, key, known: { bytes, sha256 }, redirects: false });
  }

  /**
   * Writes it to a path where nothing is.
   *
   * @throws {Deno.errors.NotFound} When the bucket does not have it any more.
   */
  async save({ objectKey }: BucketFile, path: string, signal?: AbortSignal): Promise<void> {
    const { store, prefix } = this.#options;
    const key = prefix + objectKey;
    const address = store.addressOf(key);
    const found = await store.get(key, { signal });
    if (found === undefined) throw new Deno.errors.NotFound(`There is no ${address}`);
    const part = path + PART;
    await ifThere(Deno.remove(part));
    await saveObject(found, { path: part, address });
    await Deno.rename(part, path);
  }

  /** Where an operator finds it. */
  addressOf({ objectKey }: Pick<BucketFile, "objectKey">): string {
    const { quick, prefix } = this.#options;
    return quick.addressOf(prefix + objectKey);
  }

  /** Removes it; what cannot be removed now is swept later. */
  async remove({ objectKey }: Pick<BucketFile, "objectKey">): Promise<void> {
    const { quick, prefix } = this.#options;
    await quick.delete(prefix + objectKey);
  }

  async #put(
    store: ObjectStore,
    { path, file: { id, bytes, sha256 }, signal }: {
      readonly path: string;
      readonly file: Pick<UploadedFile, "id" | "bytes" | "sha256">;
      readonly signal?: AbortSignal;
    },
  ): Promise<string> {
    const name = `${UPLOADS_PREFIX}${id}/${randomName(RANDOM_LETTERS)}`;
    const key = this.#options.prefix + name;
    const source = fileSource(path, { bytes, sha256 });
    await store.put(key, source, signal && { signal });
    return name;
  }
}
