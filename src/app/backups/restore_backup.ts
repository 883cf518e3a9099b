/**
 * Puts a backup in the place of a data dir's database. Whenever it is interrupted,
 * the old database is there or the new one.
 *
 * @module
 */

import { existsSync } from "node:fs";
import type { BackupReport } from "../../admin/base/backup_report.ts";
import type { RestoreOptions, RestoreReport } from "../../admin/local/backups.ts";
import { isS3 } from "../../domain/s3_address.ts";
import { GatewayError } from "../../errors.ts";
import type { S3Access } from "../../objects/s3_client.ts";
import { lockDataDir } from "../../storage/ownership/data_dir_lock.ts";
import { ContentFiles } from "../../videos/files/content_files.ts";
import { DATABASE_FILES } from "../database/driver.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { copyForWork, removeWork } from "./copy_for_work.ts";
import { examineBackup } from "./examine_backup.ts";
import { fetchBackup, type FetchedBackup } from "./fetch_backup.ts";
import { keptVideos } from "./kept_videos.ts";
import { UploadFiles } from "../../uploads/upload_files.ts";
import { setUploadsAside } from "./kept_uploads.ts";
import { setVideosAside, type VideoComparison } from "./set_videos_aside.ts";
import { timeStamp } from "./time_stamp.ts";

/** Which backup goes to which data dir. */
export interface RestorePlace extends RestoreOptions {
  /** Who asks the bucket, for a backup in one. */
  readonly s3?: S3Access;
  readonly dataDir: string;
  /** Milliseconds since the epoch, for the names of what is kept. */
  readonly now: number;
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
export async function restoreBackup(options: RestorePlace): Promise<RestoreReport> {
  const { dataDir, file } = options;
  const owner = { pid: Deno.pid, socket: undefined, kind: "cli" } as const;
  const lock = await lockDataDir(dataDir, { owner });
  try {
    await removeWork(dataDir);
    // Before anything long is fetched.
    if (isS3(file)) refuseReplacing(options);
    await using source = await fetchBackup(file, { beside: dataDir, s3: options.s3 });
    const { milliseconds: _, ...found } = await examineBackup(source.path);
    const report = { ...found, file: source.address };
    refuseDifferences(report, { ...options, file: source.address });
    refuseReplacing(options);
    await using copy = await copyForWork(source.path, { beside: dataDir });
    await copy.bringUpToDate();
    const films_fetched = await bringFilms(copy.path, { source, dataDir });
    const films = await compareVideos(copy.path, options);
    const path = DATABASE_FILES.fileIn(dataDir);
    const kept = existsSync(path) ? `${path}.before-restore-${timeStamp(options.now)}` : null;
    await MAINTENANCE.replace(copy.path, { path, kept });
    return { ...report, data_dir: dataDir, kept, films_fetched, ...films };
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

function refuseReplacing({ dataDir, file, mayReplace }: RestorePlace): void {
  if (mayReplace || !existsSync(DATABASE_FILES.fileIn(dataDir))) return;
  throw new GatewayError(
    "conflict",
    `Cannot restore ${file} yet: ${dataDir} has a database. With --yes it is replaced, and kept under another name. Nothing was changed`,
  );
}

/** Films of the backup's tasks that are not in the data dir, and are where the backup is. */
async function bringFilms(
  database: string,
  { source, dataDir }: { readonly source: FetchedBackup; readonly dataDir: string },
): Promise<number> {
  const storage = MAINTENANCE.openToRead(database);
  try {
    return await source.bringFilms(keptVideos(storage.videos), `${dataDir}/videos`);
  } finally {
    storage.close();
  }
}

/** What was found of files that a database has beside it. */
interface FileComparison extends VideoComparison {
  readonly files_set_aside: number;
  readonly files_folder: string | null;
}

/** On the database as it will be; what is set aside is linked, so that nothing is lost before the swap. */
async function compareVideos(
  database: string,
  { dataDir, now }: RestorePlace,
): Promise<FileComparison> {
  const storage = MAINTENANCE.openToRead(database);
  try {
    const folder = `${dataDir}/videos.before-restore-${timeStamp(now)}`;
    const files = new ContentFiles(`${dataDir}/videos`);
    const compared = await setVideosAside({ videos: storage.videos, files, folder });
    const uploads = `${dataDir}/files.before-restore-${timeStamp(now)}`;
    const set = await setUploadsAside(storage, {
      files: new UploadFiles(`${dataDir}/files`),
      folder: uploads,
    });
    return { ...compared, files_set_aside: set, files_folder: set > 0 ? uploads : null };
  } finally {
    storage.close();
  }
}
