/**
 * The upkeep of SQLite databases.
 *
 * @module
 */

import type { Maintenance } from "../../ports/maintenance.ts";
import { inspectDatabaseFile } from "../database_file.ts";
import { MIGRATIONS, refuseNewerSchema } from "../migrations.ts";
import { openReadOnlyStorage } from "../read_only_storage.ts";
import { createSqliteStorage } from "../sqlite_storage.ts";
import { applicationIdOf, SqliteArchiveFile } from "./archive_file.ts";
import { SqliteArchiveSource } from "./archive_source.ts";
import { sealArchive } from "./archive_writer.ts";
import { checkDatabasePages } from "./check_pages.ts";
import { copyDatabase } from "./copy_database.ts";
import { diagnoseDatabase } from "./diagnose_database.ts";
import { leaveNoTrace } from "./merge_log.ts";
import { RUN_ARCHIVE_APPLICATION_ID, SqliteRunArchiveFile } from "./run_archive_file.ts";
import { SqliteRunArchiveWriter } from "./run_archive_writer.ts";
import { replaceDatabase } from "./replace_database.ts";

/** See the port. */
export const SQLITE_MAINTENANCE: Maintenance = {
  inspect(path, options) {
    const { schemaVersion, bytes } = inspectDatabaseFile(path, options);
    refuseNewerSchema(schemaVersion, { path, migrations: MIGRATIONS });
    return { schemaVersion, isCurrent: schemaVersion === MIGRATIONS.length, bytes };
  },
  diagnose: diagnoseDatabase,
  openToRead: openReadOnlyStorage,
  checkPages: checkDatabasePages,
  copy: copyDatabase,
  bringUpToDate: (path) => createSqliteStorage(path).close(),
  leaveNoTrace,
  replace: replaceDatabase,
  archives: {
    open: (file) => new SqliteArchiveFile(file),
    source: (database) => new SqliteArchiveSource(database),
    seal: sealArchive,
    isOfRuns: (file) => applicationIdOf(file) === RUN_ARCHIVE_APPLICATION_ID,
    openRuns: (file) => new SqliteRunArchiveFile(file),
    writeRuns: (part) => new SqliteRunArchiveWriter(part),
  },
};
