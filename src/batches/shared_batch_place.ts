/**
 * How files of batches reach whoever works on them: by the bucket where there is one, and else only in the
 * process that has them.
 *
 * @module
 */

import type { Batch } from "../domain/batch.ts";
import { Turns } from "../domain/turns.ts";
import { hasKey, type UploadedFile } from "../domain/uploaded_file.ts";
import { diskFull } from "../files/disk_full.ts";
import { exists } from "../files/place_new_file.ts";
import type { UploadStore } from "../storage/ports/storage.ts";
import type { LeftBatch } from "../storage/ports/shared_batches.ts";
import type { UploadBucket } from "../uploads/upload_bucket.ts";
import type { UploadFiles } from "../uploads/upload_files.ts";
import type { BatchPlace, BringOptions } from "./batch_sharing.ts";

/** What it works with. */
export interface SharedBatchPlaceOptions {
  readonly uploads: Pick<UploadStore, "find">;
  readonly files: UploadFiles;
  readonly bucket: UploadBucket | undefined;
  /** Whether what batches make goes to the bucket. */
  readonly keepsInBucket: boolean;
}

/** Inputs that are fetched at one time. */
const AT_ONCE = 2;

/** An input that batches read here. */
interface Input {
  readonly readers: Set<string>;
  /** What one has just looked for is not what another one is removing. */
  readonly turns: Turns;
}

/** Files come from the bucket into the folder, and go back there. */
export class SharedBatchPlace implements BatchPlace {
  readonly #options: SharedBatchPlaceOptions;
  readonly #inputs = new Map<string, Input>();
  readonly #fetching = new Turns(AT_ONCE);

  constructor(options: SharedBatchPlaceOptions) {
    this.#options = options;
  }

  async canGoOn(
    { inputFileId, outputFileId, errorFileId, outputBytes, errorBytes }: LeftBatch,
  ): Promise<boolean> {
    const { uploads, files, bucket } = this.#options;
    // Versions before this one have written to files what is nowhere else.
    if (outputBytes > 0 && !await exists(files.pathOf(outputFileId))) return false;
    if (errorBytes > 0 && !await exists(files.pathOf(errorFileId))) return false;
    if (await exists(files.pathOf(inputFileId))) return true;
    const file = await uploads.find(inputFileId);
    return file === undefined || (hasKey(file) && bucket !== undefined);
  }

  async bring(
    { id, inputFileId }: Pick<Batch, "id" | "inputFileId">,
    { signal, hasDiskFor }: BringOptions,
  ): Promise<void> {
    const { uploads, files, bucket } = this.#options;
    if (bucket === undefined) return;
    const input = this.#inputs.get(inputFileId) ?? { readers: new Set(), turns: new Turns(1) };
    this.#inputs.set(inputFileId, input);
    input.readers.add(id);
    await input.turns.take(async () => {
      const path = files.pathOf(inputFileId);
      if (await exists(path)) return;
      const file = await uploads.find(inputFileId);
      if (file === undefined || !hasKey(file)) {
        throw new Deno.errors.NotFound(`There is no file ${inputFileId}`);
      }
      await this.#fetching.take(async () => {
        signal.throwIfAborted();
        if (!hasDiskFor(file.bytes)) throw diskFull(`fetch ${inputFileId}`);
        await bucket.save(file, path, signal);
      });
    });
  }

  async keep(
    made: readonly UploadedFile[],
    signal: AbortSignal,
  ): Promise<readonly UploadedFile[]> {
    const { files, bucket, keepsInBucket } = this.#options;
    if (bucket === undefined || !keepsInBucket) return made;
    const kept: UploadedFile[] = [];
    for (const file of made) {
      const objectKey = await bucket.putPatiently(files.pathOf(file.id), file, signal);
      kept.push({ ...file, objectKey });
    }
    return kept;
  }

  async clear({ id, inputFileId, outputFileId, errorFileId }: Batch): Promise<void> {
    const input = this.#inputs.get(inputFileId);
    await input?.turns.take(async () => {
      input.readers.delete(id);
      if (input.readers.size > 0) return;
      this.#inputs.delete(inputFileId);
      await this.#clearFile(inputFileId);
    });
    for (const made of [outputFileId, errorFileId]) await this.#clearFile(made);
  }

  /** What the bucket has, too, or nobody wants any more. */
  async #clearFile(fileId: string): Promise<void> {
    const { uploads, files } = this.#options;
    const file = await uploads.find(fileId);
    if (file === undefined || hasKey(file)) await files.remove(fileId);
  }
}
