/**
 * Where files go that come with requests or are kept, and how much of the disk they may take.
 *
 * @module
 */

import type { Settings } from "../config/process_settings.ts";
import { Spool } from "../files/spool.ts";
import { createSharedBudget } from "../http/bodies/body_budget.ts";
import type { Log } from "../telemetry/log.ts";
import type { UploadedFiles } from "../uploads/uploaded_files.ts";
import type { Core } from "./open_core.ts";

/** What is needed besides the core. */
export interface KeepUploadsOptions {
  readonly settings: Settings["uploads"];
  /** Whether the disk has room for so many bytes beside the films that are promised. */
  readonly hasRoomFor: (bytes: number) => boolean;
  readonly log: Log;
}

/** Files of requests, and those that are kept. */
export interface KeptUploads {
  readonly spool: Spool;
  readonly uploads: UploadedFiles;
}

/** Readies both folders: what an earlier process has left there is gone when this resolves. */
export async function keepUploads(
  { dataDir, sessions, storage, uploads }: Core,
  { settings, hasRoomFor, log }: KeepUploadsOptions,
): Promise<KeptUploads> {
  const onError = (error: unknown) => log.error("upload_left", { error: String(error) });
  const spool = new Spool({
    folder: `${dataDir}/uploads`,
    sessions,
    budget: createSharedBudget({
      maxBytes: Math.max(settings.maxInFlightBytes, settings.maxBytes),
      leastShareBytes: settings.maxBytes,
    }),
    hasRoomFor,
    onError,
  });
  const removed = await spool.prepare();
  if (removed > 0) log.warn("uploads_removed", { files: removed });
  const open = await storage.batches.open();
  await uploads.open({
    quotaBytes: settings.quotaBytes,
    spared: new Set(open.flatMap(({ outputFileId, errorFileId }) => [outputFileId, errorFileId])),
  });
  return { spool, uploads };
}
