/**
 * Backups as files: read, and put in the place of a database that no server has.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { parseS3Address } from "../../domain/s3_address.ts";
import { pathField, shownCount, shownTime } from "../base/fields.ts";
import { type BackupReport, backupReport, examinedBackup } from "../base/backup_report.ts";
import { defineLocalOperation } from "../base/operation.ts";

/** Which backup goes where. */
export interface RestoreOptions {
  /** An absolute path, or `s3://bucket/path`: of a folder there, the newest backup in it is taken. */
  readonly file: string;
  /** Whether a database that is there may be replaced. */
  readonly mayReplace: boolean;
  /** Whether books that do not add up are taken as they are. */
  readonly acceptsDifferences: boolean;
}

/** What was restored, and what was kept of before. */
const restoreReport = examinedBackup.extend({
  data_dir: z.string(),
  kept: z.string().nullable().describe(
    "The database that was there before; null when there was none",
  ),
  films_fetched: shownCount.describe("Films that were brought from the backup's bucket"),
  films_missing: shownCount.describe("Films of the backup's tasks that are not in the data dir"),
  films_set_aside: shownCount.describe(
    "Films that the backup does not know, and that the next start would remove",
  ),
  films_folder: z.string().nullable().describe("Where those are kept; null when there are none"),
  files_set_aside: shownCount.describe(
    "Uploaded files that the backup does not know, which the next start removes",
  ),
  files_folder: z.string().nullable().describe("Where those are kept; null when there are none"),
});

export type RestoreReport = Shown<typeof restoreReport>;

/** Whoever reads backups and puts them in place. */
export interface LocalBackups {
  /** @throws {StorageOpenError} When the file cannot be used. */
  examine(file: string): Promise<BackupReport>;
  /** @throws {GatewayError} `conflict` */
  restore(options: RestoreOptions): Promise<RestoreReport>;
  /** Backups in a bucket, newest first. @throws {Error} When the bucket cannot be listed. */
  listStored(place: string): Promise<readonly StoredBackup[]>;
}

const storedBackup = z.object({
  id: z.string().describe("Its address: s3://BUCKET/PATH"),
  at: shownTime,
  bytes: shownCount,
});

/** A backup as a bucket lists it. */
export type StoredBackup = Shown<typeof storedBackup>;

const define = defineLocalOperation<LocalBackups>();
const fileField = z.string().max(4096).refine(
  (text) => pathField.safeParse(text).success || parseS3Address(text) !== undefined,
  "Expected an absolute path, or s3://BUCKET/PATH",
).describe("a backup: a file, or s3://BUCKET/PATH; of a folder there, its newest backup");

export const verifyBackup = define({
  name: "backup.verify",
  isLong: true,
  summary: "Read a backup from its first byte to its last: pages, schema, books.",
  input: z.strictObject({ file: fileField }),
  output: backupReport,
  errors: [],
  run: (backups, { file }) => backups.examine(file),
});

export const storedBackups = define({
  name: "backup.stored",
  summary:
    "List the backups in a bucket, newest first: also where nothing else is left of a gateway.",
  input: z.strictObject({
    place: z.string().refine(
      (text) => parseS3Address(text) !== undefined,
      "Expected s3://BUCKET/PREFIX",
    ).describe("s3://BUCKET/PREFIX, as --backup-to named it"),
  }),
  output: z.object({ data: z.array(storedBackup) }),
  errors: [],
  run: async (backups, { place }) => ({ data: [...await backups.listStored(place)] }),
});

export const restoreBackup = define({
  name: "backup.restore",
  changes: "database",
  isLong: true,
  summary: "Put a backup in the place of the database, which is kept under another name.",
  input: z.strictObject({
    file: fileField,
    yes: z.boolean().default(false).describe("replace the database that is there"),
    accept_differences: z.boolean().default(false)
      .describe("take a backup whose books do not add up"),
  }),
  output: restoreReport,
  errors: [],
  run: (backups, { file, yes, accept_differences }) =>
    backups.restore({ file, mayReplace: yes, acceptsDifferences: accept_differences }),
});
