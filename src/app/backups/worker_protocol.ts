/**
 * The messages between the backups' Worker and whoever started it.
 *
 * @module
 */

import type { BackupReport } from "../../admin/backup_report.ts";

/** What the Worker does, once: it is started for it. */
export type BackupJob =
  | {
    readonly kind: "write";
    readonly database: string;
    readonly part: string;
    readonly file: string;
  }
  | { readonly kind: "check"; readonly database: string };

/** What the Worker is started with. */
export interface BackupWorkerStart {
  readonly job: BackupJob;
  /** One number: not 0 when the Worker should end as soon as it can. */
  readonly stop: Int32Array<SharedArrayBuffer>;
}

/** What came of it. A check that finds damage answers with an error. */
export type BackupReply =
  | { readonly value: BackupReport | undefined }
  | { readonly error: { readonly name: string; readonly message: string } };
