/**
 * What becomes of a backup: where it goes, what it holds, and who makes it.
 *
 * @module
 */

import * as z from "zod";
import type { Shown } from "../../documents/shown.ts";
import { shownCount } from "./fields.ts";
import type { WorkWatcher } from "./work_progress.ts";
import { differenceFields } from "./findings.ts";

/** What a backup holds, found by reading the finished file again. */
export const examinedBackup = z.object({
  file: z.string().describe("Absolute"),
  bytes: shownCount,
  sha256: z.string(),
  schema_version: shownCount,
  projects: shownCount,
  calls: shownCount,
  open_calls: shownCount,
  ledger_rows: shownCount,
  archives: shownCount.describe(
    "Archives that its ledger goes on from: they are files of their own, and not in a backup",
  ),
  films: shownCount.describe(
    "Films that its tasks have: they are files of their own, and not in a backup",
  ),
  film_bytes: shownCount,
  ...differenceFields,
});

/** A backup that was made. */
export const backupReport = examinedBackup.extend({
  milliseconds: shownCount.describe("How long it took"),
});

export type BackupReport = Shown<typeof backupReport>;

/** Where a backup goes: a file that does not exist yet, or a folder in which it gets a name. */
export type BackupPlace = { readonly file: string } | { readonly folder: string };

/** One that the server has made by itself. */
export interface MadeBackup {
  /** Absolute. */
  readonly file: string;
  /** When it was begun, milliseconds since the epoch. */
  readonly at: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Whether its books add up. */
  readonly isGood: boolean;
}

/** What anybody may be told: why is for those who administer the gateway. */
export const BACKUP_WARNING = "the last backup by schedule failed: `tollgate doctor` says why";

/** Backups by schedule, as they go on. */
export interface BackupScheduleView {
  readonly folder: string;
  /** When the next one is due, milliseconds since the epoch; absent before the first look. */
  readonly nextAt: number | undefined;
  /** Why the last one failed. */
  readonly trouble: string | undefined;
}

/** Makes backups of the database that this process has. */
export interface AdminBackups {
  /**
   * Writes one and reads it again. Without a place it goes to `<data>/backups`.
   *
   * @throws {GatewayError} `conflict`, `storage_full`
   */
  create(place: BackupPlace | undefined, watcher?: WorkWatcher): Promise<BackupReport>;
  /**
   * Those by schedule that are there, newest first.
   *
   * @throws {Error} When what tells of them is damaged.
   */
  listMade(): Promise<readonly MadeBackup[]>;
}
