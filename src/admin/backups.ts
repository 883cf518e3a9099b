/**
 * Backups of the database, while the gateway goes on.
 *
 * @module
 */

import * as z from "zod";
import type { BackupReport } from "./backup_report.ts";
import { pathField } from "./input_fields.ts";
import { defineOperation } from "./operation.ts";

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
