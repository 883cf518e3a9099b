/**
 * How uploaded files and those of batches are reached where several processes use one database.
 *
 * @module
 */

import type { BatchPlace } from "../batches/batch_sharing.ts";
import type { UploadStore } from "../storage/ports/storage.ts";
import type { UploadBucket } from "../uploads/upload_bucket.ts";
import type { UploadFiles } from "../uploads/upload_files.ts";
import type { DatabaseServer } from "./database/driver.ts";
import type { UsedBucket } from "./film_place.ts";

/** Where files may be. */
export interface SharedFilesOptions {
  readonly bucket: UsedBucket | undefined;
  readonly uploads: Pick<UploadStore, "find">;
  readonly files: UploadFiles;
}

/** How they are reached; what is not needed is not loaded. */
export interface SharedFiles {
  readonly uploadBucket: UploadBucket | undefined;
  readonly place: BatchPlace | undefined;
}

/** Asks nobody yet. */
export async function sharedFiles(
  server: DatabaseServer | undefined,
  { bucket, uploads, files }: SharedFilesOptions,
): Promise<SharedFiles> {
  const uploadBucket = bucket && await openUploadBucket(bucket);
  if (server === undefined && uploadBucket === undefined) return { uploadBucket, place: undefined };
  const { SharedBatchPlace } = await import("../batches/shared_batch_place.ts");
  const keepsInBucket = server !== undefined;
  const place = new SharedBatchPlace({ uploads, files, bucket: uploadBucket, keepsInBucket });
  return { uploadBucket, place };
}

async function openUploadBucket(bucket: UsedBucket): Promise<UploadBucket> {
  const { UploadBucket } = await import("../uploads/upload_bucket.ts");
  return new UploadBucket(bucket);
}
