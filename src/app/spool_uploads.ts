/**
 * Where the files of requests go, and how much of the disk they may take.
 *
 * @module
 */

import type { Settings } from "../config/process_settings.ts";
import { Spool } from "../files/spool.ts";
import { createSharedBudget } from "../http/bodies/body_budget.ts";
import type { Log } from "../telemetry/log.ts";
import type { Core } from "./open_core.ts";

/** What is needed besides the core. */
export interface SpoolUploadsOptions {
  readonly settings: Settings["uploads"];
  /** Whether the disk has room for so many bytes beside the films that are promised. */
  readonly hasRoomFor: (bytes: number) => boolean;
  readonly log: Log;
}

/** Readies the folder: what an earlier process has left is gone when this resolves. */
export async function spoolUploads(
  { dataDir, sessions }: Pick<Core, "dataDir" | "sessions">,
  { settings, hasRoomFor, log }: SpoolUploadsOptions,
): Promise<Spool> {
  const spool = new Spool({
    folder: `${dataDir}/uploads`,
    sessions,
    budget: createSharedBudget({
      maxBytes: Math.max(settings.maxInFlightBytes, settings.maxBytes),
      leastShareBytes: settings.maxBytes,
    }),
    hasRoomFor,
    onError: (error) => log.error("upload_left", { error: String(error) }),
  });
  const removed = await spool.prepare();
  if (removed > 0) log.warn("uploads_removed", { files: removed });
  return spool;
}
