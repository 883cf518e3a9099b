/**
 * Which uploaded files of a bucket are named by a row.
 *
 * @module
 */

import type { SweptKind } from "../objects/bucket_sweep.ts";
import type { UploadStore } from "../storage/ports/storage.ts";
import { UPLOAD_KEY, UPLOADS_PREFIX } from "./upload_bucket.ts";

/** Files that were uploaded, and those that batches have made. */
export function uploadObjects(uploads: Pick<UploadStore, "find">): SweptKind {
  return {
    begins: UPLOADS_PREFIX,
    isOwn: (key) => UPLOAD_KEY.test(key),
    isNeeded: async (key) => (await uploads.find(UPLOAD_KEY.exec(key)![1]!))?.objectKey === key,
  };
}
