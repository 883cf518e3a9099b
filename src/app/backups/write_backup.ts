/**
 * Writes a backup and reads it again before it gets its name.
 *
 * @module
 */

import type { BackupReport } from "../../admin/base/backup_report.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { examineBackup } from "./examine_backup.ts";
import type { JobOf } from "../jobs/worker_protocol.ts";
import { placeNewFile } from "../../files/place_new_file.ts";

/**
 * Writes a backup of a database that others may write meanwhile. Blocks this thread.
 *
 * @throws {Deno.errors.AlreadyExists} When there is a file of that name.
 * @throws {StorageOpenError} When what was written cannot be used.
 * @throws {Error} The system's or the driver's.
 */
export async function writeBackup(
  { database, part, file, onStep }: JobOf<"write">,
): Promise<BackupReport> {
  const started = performance.now();
  await MAINTENANCE.copy(database, part, { onStep });
  const report = await examineBackup(part, { isBeside: true });
  onStep();
  await placeNewFile(part, file);
  return { ...report, file, milliseconds: Math.round(performance.now() - started) };
}
