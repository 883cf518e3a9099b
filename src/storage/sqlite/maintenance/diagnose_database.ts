/**
 * What there is to say about the database file and its log.
 *
 * @module
 */

import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseDiagnosis, DatabaseRemark } from "../../ports/maintenance.ts";
import { StorageOpenError } from "../../ports/storage_open_error.ts";
import { inspectDatabaseFile } from "../database_file.ts";
import { MIGRATIONS, refuseNewerSchema } from "../migrations.ts";
import { LARGE_LOG_BYTES } from "./sqlite_files.ts";

/** Looks at every page, and changes none. */
export function diagnoseDatabase(
  path: string,
  { isServed }: { readonly isServed: boolean },
): DatabaseDiagnosis {
  if (!existsSync(path)) {
    const detail = `There is none in ${dirname(path)}`;
    const remark = { status: "warning", detail, remedy: "The next start makes one" } as const;
    return { remarks: [remark], isReadable: false };
  }
  try {
    const { schemaVersion, bytes } = inspectDatabaseFile(path, { pages: "quick" });
    refuseNewerSchema(schemaVersion, { path, migrations: MIGRATIONS });
    const isCurrent = schemaVersion === MIGRATIONS.length;
    const detail = `${
      bytes + logBytes(path)
    } bytes with its log, schema version ${schemaVersion}, every page in order`;
    const remark: DatabaseRemark = isCurrent
      ? { status: "ok", detail, remedy: null }
      : { status: "warning", detail: detail + UNREAD, remedy: bringUpToDate(isServed) };
    return { remarks: [remark, ...remarksOnLog(path, isServed)], isReadable: isCurrent };
  } catch (error) {
    if (!(error instanceof StorageOpenError)) throw error;
    const [detail, ...advice] = error.message.split(". ");
    const remark = { status: "problem", detail: detail!, remedy: advice.join(". ") } as const;
    return { remarks: [remark], isReadable: false };
  }
}

const UNREAD = "; books, films and catalogue are not looked at, as this program reads those of " +
  `version ${MIGRATIONS.length}`;

function bringUpToDate(isServed: boolean): string {
  const next = isServed ? "Restart the server with this version" : "Start tollgate serve";
  return `${next}, which brings the database there, then run doctor again`;
}

function remarksOnLog(path: string, isServed: boolean): readonly DatabaseRemark[] {
  const bytes = logBytes(path);
  if (bytes <= LARGE_LOG_BYTES) return [];
  return [{
    status: "warning",
    detail: `Its log ${path}-wal has ${bytes} bytes, more than ${LARGE_LOG_BYTES}`,
    remedy: isServed
      ? "Somebody reads the database for long, such as a shell or a backup tool: end that"
      : "The next start merges it",
  }];
}

/** A young database may be in its log alone. */
function logBytes(path: string): number {
  const log = `${path}-wal`;
  return existsSync(log) ? statSync(log).size : 0;
}
