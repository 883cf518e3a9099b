/**
 * Backups of the database, while the gateway goes on.
 *
 * @module
 */

import { isAbsolute } from "node:path";
import * as z from "zod";
import type { Difference } from "./ledger_check/difference.ts";
import { defineOperation } from "./operation.ts";

/** What a backup holds, found by reading the finished file again. */
export interface BackupReport {
  /** Absolute. */
  readonly file: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly schema_version: number;
  readonly projects: number;
  readonly calls: number;
  readonly open_calls: number;
  readonly ledger_rows: number;
  /** Films that its tasks have: they are files of their own, and not in a backup. */
  readonly films: number;
  readonly film_bytes: number;
  /** What does not add up in its books; empty when everything does. */
  readonly differences: readonly Difference[];
  /** Further differences that are not listed. */
  readonly omitted: number;
  /** How long it took. */
  readonly milliseconds: number;
}

/** Where a backup goes: a file that does not exist yet, or a folder in which it gets a name. */
export type BackupPlace = { readonly file: string } | { readonly folder: string };

/** Makes backups of the database that this process has. */
export interface AdminBackups {
  /**
   * Writes one and reads it again. Without a place it goes to `<data>/backups`.
   *
   * @throws {GatewayError} `conflict`, `storage_full`
   */
  create(place: BackupPlace | undefined): Promise<BackupReport>;
}

const pathField = z.string().min(1).max(4096).refine(
  (path) => isAbsolute(path) && !path.includes("\0"),
  "Expected an absolute path",
);

export const createBackup = defineOperation({
  name: "backup.create",
  method: "POST",
  path: "/backups",
  readOnly: true,
  isLocal: true,
  summary: "Writes a backup of the database to a new file on the gateway's machine, and reads " +
    "it again: its pages, its schema, its books.",
  input: z.strictObject({ file: pathField.optional(), folder: pathField.optional() }).refine(
    ({ file, folder }) => file === undefined || folder === undefined,
    "Name a file or a folder, not both",
  ),
  run({ backups }, { file, folder }): Promise<BackupReport> {
    return backups.create(
      file !== undefined ? { file } : folder !== undefined ? { folder } : undefined,
    );
  },
});
