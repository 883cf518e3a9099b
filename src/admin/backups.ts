/**
 * Backups of the database, while the gateway goes on.
 *
 * @module
 */

import * as z from "zod";
import { backupReport } from "./base/backup_report.ts";
import type { Shown } from "../documents/shown.ts";
import { pathField, shownCount, shownTime, timeToJson } from "./base/fields.ts";
import { pageAnswer, pageFields, pageOfItems } from "./base/page.ts";
import { defineOperation } from "./base/operation.ts";
import { optionWords } from "./base/option_words.ts";

export const createBackup = defineOperation({
  name: "backup.create",
  method: "POST",
  path: "/backups",
  role: "owner",
  isLong: true,
  isLocal: true,
  summary: "Write a backup of the database to a new file on the gateway's machine, and read " +
    "it again: its pages, its schema, its books.",
  input: z.strictObject({
    file: pathField.optional().describe("a path that nothing has yet"),
    folder: pathField.optional()
      .describe("a folder, in which the file is named after the time (default: <data>/backups)")
      .register(optionWords, { option: "to", placeholder: "dir" }),
  }).refine(
    ({ file, folder }) => file === undefined || folder === undefined,
    "Name a file or a folder, not both",
  ),
  output: backupReport,
  errors: ["conflict", "storage_full"],
  run({ backups, watcher }, { file, folder }) {
    return backups.create(
      file !== undefined ? { file } : folder !== undefined ? { folder } : undefined,
      watcher,
    );
  },
});

const shownMade = z.object({
  id: z.string().describe("The file"),
  at: shownTime,
  bytes: shownCount,
  sha256: z.string(),
  good: z.boolean().describe("Whether its books add up"),
});

export type MadeBackupRow = Shown<typeof shownMade>;

export const listBackups = defineOperation({
  name: "backup.list",
  method: "GET",
  path: "/backups",
  role: "operator",
  summary: "List the backups by schedule (backup_every) that are there, newest first.",
  input: z.strictObject(pageFields),
  output: pageAnswer(shownMade),
  errors: [],
  async run({ backups }, { limit, after }) {
    const items = (await backups.listMade()).map((backup) => ({ ...backup, id: backup.file }));
    return pageOfItems(items, {
      ...{ limit, after, what: "backup" },
      show: ({ id, at, bytes, sha256, isGood }) => ({
        id,
        at: timeToJson(at),
        ...{ bytes, sha256 },
        good: isGood,
      }),
    });
  },
});
