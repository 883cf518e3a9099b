/**
 * Writes a backup and reads it again before it gets its name.
 *
 * @module
 */

import type { BackupReport } from "../../admin/base/backup_report.ts";
import type { WorkProgress } from "../../admin/base/work_progress.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { examineBackup } from "./examine_backup.ts";
import type { JobOf } from "../jobs/worker_protocol.ts";
import { placeNewFile } from "../../files/place_new_file.ts";

type WriteBackupOptions = JobOf<"write"> & {
  readonly onProgress?: (progress: WorkProgress) => void;
};

/**
 * Writes a backup of a database that others may write meanwhile. Blocks this thread.
 *
 * @throws {Deno.errors.AlreadyExists} When there is a file of that name.
 * @throws {StorageOpenError} When what was written cannot be used.
 * @throws {Error} The system's or the driver's.
 */
export async function writeBackup(
  { database, part, file, onStep, onProgress = () => {} }: WriteBackupOptions,
): Promise<BackupReport> {
  const started = performance.now();
  onProgress({ step: "copying", done: 0, total: undefined });
  await MAINTENANCE.copy(database, part, { onStep });
  const report = await examineBackup(part, { isBeside: true, onProgress });
  onStep();
  await placeNewFile(part, file);
  return { ...report, file, milliseconds: Math.round(performance.now() - started) };
}
