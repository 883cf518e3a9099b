/**
 * Puts a backup in the place of a data dir's database. Whenever it is interrupted,
 * the old database is there or the new one.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { BackupReport } from "../../admin/backup_report.ts";
import { GatewayError } from "../../errors.ts";
import { lockDataDir } from "../../storage/ownership/data_dir_lock.ts";
import { ContentFiles } from "../../videos/files/content_files.ts";
import { MAINTENANCE } from "../driver.ts";
import { copyForWork, removeWork } from "./copy_for_work.ts";
import { examineBackup } from "./examine_backup.ts";
import { type FilmComparison, setFilmsAside } from "./set_films_aside.ts";
import { timeStamp } from "./time_stamp.ts";

/** Which backup goes where. */
export interface RestoreOptions {
  /** Absolute. */
  readonly file: string;
  readonly dataDir: string;
  /** Whether a database that is there may be replaced. */
  readonly mayReplace: boolean;
  /** Whether books that do not add up are taken as they are. */
  readonly acceptsDifferences: boolean;
  /** Milliseconds since the epoch, for the names of what is kept. */
  readonly now: number;
}

/** What was restored, and what was kept of before. */
export interface RestoreReport extends Omit<BackupReport, "milliseconds"> {
  readonly data_dir: string;
  /** The database that was there before; `null` when there was none. */
  readonly kept: string | null;
  /** Films of the backup's tasks that are not in the data dir. */
  readonly films_missing: number;
  /** Films that the backup does not know, and that the next start would remove. */
  readonly films_set_aside: number;
  /** Where those are kept; `null` when there are none. */
  readonly films_folder: string | null;
}

/**
 * Checks a backup (pages, schema, books), keeps the old database and puts the
 * backup in its place.
 *
 * @throws {GatewayError} `conflict` when a process has the data dir, when a database
 * may not be replaced, or when the books do not add up; nothing has changed then.
 * @throws {StorageOpenError} When the backup cannot be used, or root may not write in the data
 * dir; nothing has changed then.
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreReport> {
  const { dataDir, file } = options;
  const owner = { pid: Deno.pid, socket: undefined, kind: "cli" } as const;
  const lock = await lockDataDir(dataDir, { owner });
  try {
    await removeWork(dataDir);
    const { milliseconds: _, ...report } = await examineBackup(file);
    refuseDifferences(report, options);
    refuseReplacing(options);
    await using copy = await copyForWork(file, { beside: dataDir });
    await copy.bringUpToDate();
    const films = await compareFilms(copy.path, options);
    const path = MAINTENANCE.fileIn(dataDir);
    const kept = existsSync(path) ? `${path}.before-restore-${timeStamp(options.now)}` : null;
    await MAINTENANCE.replace(copy.path, { path, kept });
    return { ...report, data_dir: dataDir, kept, ...films };
  } finally {
    lock.release();
  }
}

function refuseDifferences(
  { differences, omitted }: Pick<BackupReport, "differences" | "omitted">,
  { file, acceptsDifferences }: RestoreOptions,
): void {
  const count = differences.length + omitted;
  if (count === 0 || acceptsDifferences) return;
  throw new GatewayError(
    "conflict",
    `Cannot restore ${file}: its books have ${count} differences, which tollgate backup verify lists. Take another backup, or this one as it is with --accept-differences. Nothing was changed`,
  );
}

function refuseReplacing({ dataDir, file, mayReplace }: RestoreOptions): void {
  if (mayReplace || !existsSync(MAINTENANCE.fileIn(dataDir))) return;
  throw new GatewayError(
    "conflict",
    `Cannot restore ${file} yet: ${dataDir} has a database. With --yes it is replaced, and kept under another name. Nothing was changed`,
  );
}

/** On the database as it will be; what is set aside is linked, so that nothing is lost before the swap. */
async function compareFilms(
  database: string,
  { dataDir, now }: RestoreOptions,
): Promise<FilmComparison> {
  const storage = MAINTENANCE.openToRead(database);
  try {
    const folder = `${dataDir}/videos.before-restore-${timeStamp(now)}`;
    const files = new ContentFiles(`${dataDir}/videos`);
    return await setFilmsAside({ videos: storage.videos, files, folder });
  } finally {
    storage.close();
  }
}
