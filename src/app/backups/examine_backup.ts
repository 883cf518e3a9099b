/**
 * Reads a backup from its first byte to its last: pages, schema, books.
 *
 * @module
 */

import { createHash } from "node:crypto";
import { closeSync, openSync, readSync } from "node:fs";
import { dirname } from "node:path";
import type { BackupReport } from "../../admin/base/backup_report.ts";
import type { WorkProgress } from "../../admin/base/work_progress.ts";
import { checkLedger } from "../../admin/ledger_check/check_ledger.ts";
import type { StorageReads } from "../../storage/ports/storage.ts";
import { StorageOpenError } from "../../storage/ports/storage_open_error.ts";
import { MAINTENANCE } from "../database/maintenance.ts";
import { copyForWork } from "./copy_for_work.ts";
import { keptVideos } from "./kept_videos.ts";
import { restAsLong } from "../jobs/rest_as_long.ts";

/** How to examine. */
export interface ExamineOptions {
  /** Whether calls are served beside it, which then come first. Default: no. */
  readonly isBeside?: boolean;
  /** Told how far the reading of the books is. */
  readonly onProgress?: (progress: WorkProgress) => void;
}

/**
 * Examines the backup `file`, whose bytes do not change. The books of a backup
 * with an older schema are read in a copy that is brought to this program's.
 *
 * @throws {StorageOpenError} If it is no database of ours, damaged, empty or of a newer schema.
 */
export async function examineBackup(
  file: string,
  options: ExamineOptions = {},
): Promise<BackupReport> {
  using _ = MAINTENANCE.leaveNoTrace(file);
  return await examine(file, options);
}

async function examine(file: string, options: ExamineOptions): Promise<BackupReport> {
  const started = performance.now();
  const { schemaVersion, isCurrent } = MAINTENANCE.inspect(file, {
    pages: "full",
    remedy: "take another backup",
  });
  if (schemaVersion === 0) {
    throw new StorageOpenError(`Cannot use the backup ${file}: it is missing or holds nothing`);
  }
  const books = isCurrent ? await readBooks(file, options) : await readOlderBooks(file, options);
  return {
    file,
    ...sumOf(file),
    schema_version: schemaVersion,
    ...books,
    milliseconds: Math.round(performance.now() - started),
  };
}

type Books = Omit<BackupReport, "file" | "bytes" | "sha256" | "schema_version" | "milliseconds">;

async function readBooks(
  path: string,
  { isBeside = false, onProgress }: ExamineOptions,
): Promise<Books> {
  const storage = MAINTENANCE.openToRead(path);
  try {
    const { differences, omitted, checked } = await checkLedger(
      storage,
      undefined,
      { onProgress, ...(isBeside && { pause: restAsLong() }) },
    );
    const { projects, calls, open_calls, ledger_rows, archives } = checked;
    const counts = { projects, calls, open_calls, ledger_rows, archives };
    return { ...counts, ...await countVideos(storage), differences, omitted };
  } finally {
    storage.close();
  }
}

async function readOlderBooks(file: string, options: ExamineOptions): Promise<Books> {
  await using copy = await copyForWork(file, { beside: dirname(file) });
  await copy.bringUpToDate();
  return await readBooks(copy.path, options);
}

async function countVideos(
  storage: Pick<StorageReads, "videos">,
): Promise<Pick<BackupReport, "films" | "film_bytes">> {
  let films = 0;
  let bytes = 0;
  for await (const film of keptVideos(storage.videos)) {
    films++;
    bytes += film.bytes;
  }
  return { films, film_bytes: bytes };
}

const READ_BYTES = 1024 ** 2;

function sumOf(path: string): Pick<BackupReport, "bytes" | "sha256"> {
  const hash = createHash("sha256");
  const buffer = new Uint8Array(READ_BYTES);
  const file = openSync(path, "r");
  let bytes = 0;
  try {
    for (let read = 1; read > 0; bytes += read) {
      read = readSync(file, buffer, 0, READ_BYTES, null);
      hash.update(buffer.subarray(0, read));
    }
  } finally {
    closeSync(file);
  }
  return { bytes, sha256: hash.digest("hex") };
}
