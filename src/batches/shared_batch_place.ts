/**
 * How files of batches reach whoever works on them, where several processes use one database: by the
 * bucket where there is one, and else only in the process that has them.
 *
 * @module
 */

import type { BatchPlace } from "./batch_sharing.ts";
import type { Batch } from "../domain/batch.ts";
import { Turns } from "../domain/turns.ts";
import { hasKey, type UploadedFile } from "../domain/uploaded_file.ts";
import { exists } from "../files/place_new_file.ts";
import type { UploadStore } from "../storage/ports/storage.ts";
import type { UploadBucket } from "../uploads/upload_bucket.ts";
import type { UploadFiles } from "../uploads/upload_files.ts";

/** What it works with. */
export interface SharedBatchPlaceOptions {
  readonly uploads: Pick<UploadStore, "find">;
  readonly files: UploadFiles;
  readonly bucket: UploadBucket | undefined;
}

/** Files come from the bucket into the folder, and go back there. */
export class SharedBatchPlace implements BatchPlace {
  readonly #options: SharedBatchPlaceOptions;
  /** Batches that read an input here, by its id. */
  readonly #readers = new Map<string, Set<string>>();
  /** What one has just looked for is not what another one is removing. */
  readonly #turns = new Turns(1);

  constructor(options: SharedBatchPlaceOptions) {
    this.#options = options;
  }

  async canRead(inputFileId: string): Promise<boolean> {
    const { uploads, files, bucket } = this.#options;
    if (await exists(files.pathOf(inputFileId))) return true;
    const file = await uploads.find(inputFileId);
    return file === undefined || (hasKey(file) && bucket !== undefined);
  }

  async bring({ id, inputFileId }: Pick<Batch, "id" | "inputFileId">): Promise<void> {
    const { uploads, files, bucket } = this.#options;
    if (bucket === undefined) return;
    await this.#turns.take(async () => {
      const readers = this.#readers.get(inputFileId) ?? new Set();
      this.#readers.set(inputFileId, readers.add(id));
      const path = files.pathOf(inputFileId);
      if (await exists(path)) return;
      const file = await uploads.find(inputFileId);
      if (file === undefined || !hasKey(file)) {
        throw new Deno.errors.NotFound(`There is no file ${inputFileId}`);
      }
      await bucket.save(file, path);
    });
  }

  async keep(made: readonly UploadedFile[]): Promise<readonly UploadedFile[]> {
    const { files, bucket } = this.#options;
    if (bucket === undefined) return made;
    const kept: UploadedFile[] = [];
    for (const file of made) {
      const objectKey = await bucket.putPatiently(files.pathOf(file.id), file);
      kept.push({ ...file, objectKey });
    }
    return kept;
  }

  async clear({ id, inputFileId, outputFileId, errorFileId }: Batch): Promise<void> {
    await this.#turns.take(async () => {
      const readers = this.#readers.get(inputFileId);
      readers?.delete(id);
      if (readers?.size === 0) {
        this.#readers.delete(inputFileId);
        await this.#clearFile(inputFileId);
      }
      for (const made of [outputFileId, errorFileId]) await this.#clearFile(made);
    });
  }

  /** What the bucket has, too. */
  async #clearFile(fileId: string): Promise<void> {
    const { uploads, files } = this.#options;
    const file = await uploads.find(fileId);
    if (file !== undefined && hasKey(file)) await files.remove(fileId);
  }
}
