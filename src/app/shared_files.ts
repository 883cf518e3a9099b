/**
 * How uploaded files and those of batches are reached where several processes use one database.
 *
 * @module
 */

import type { BatchSharing } from "../batches/batch_sharing.ts";
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
  readonly sharing: BatchSharing | undefined;
}

/** Asks nobody yet. */
export async function sharedFiles(
  server: Pick<DatabaseServer, "batches"> | undefined,
  { bucket, uploads, files }: SharedFilesOptions,
): Promise<SharedFiles> {
  const uploadBucket = bucket && await openUploadBucket(bucket);
  if (server === undefined) return { uploadBucket, sharing: undefined };
  const { SharedBatchPlace } = await import("../batches/shared_batch_place.ts");
  const place = new SharedBatchPlace({ uploads, files, bucket: uploadBucket });
  return { uploadBucket, sharing: { batches: server.batches, place } };
}

async function openUploadBucket(bucket: UsedBucket): Promise<UploadBucket> {
  const { UploadBucket } = await import("../uploads/upload_bucket.ts");
  return new UploadBucket(bucket);
}
