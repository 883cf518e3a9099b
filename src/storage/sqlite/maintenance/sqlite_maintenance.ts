/**
 * The upkeep of SQLite databases.
 *
 * @module
 */

import { stat } from "node:fs/promises";
import type { Maintenance } from "../../ports/maintenance.ts";
import { inspectDatabaseFile } from "../database_file.ts";
import { MIGRATIONS, refuseNewerSchema } from "../migrations.ts";
import { openReadOnlyStorage } from "../read_only_storage.ts";
import { createSqliteStorage } from "../sqlite_storage.ts";
import { SqliteArchiveFile } from "./archive_file.ts";
import { SqliteArchiveSource } from "./archive_source.ts";
import { sealArchive } from "./archive_writer.ts";
import { checkDatabasePages } from "./check_pages.ts";
import { copyDatabase } from "./copy_database.ts";
import { diagnoseDatabase, LARGE_LOG_BYTES } from "./diagnose_database.ts";
import { leaveNoTrace } from "./merge_log.ts";
import { replaceDatabase } from "./replace_database.ts";

/** See the port. */
export const SQLITE_MAINTENANCE: Maintenance = {
  engine: "SQLite",
  fileIn: (dataDir) => `${dataDir}/tollgate.db`,
  filesBeside: (path) => ["-journal", "-wal", "-shm"].map((ending) => `${path}${ending}`),
  async unmergedBytes(path) {
    try {
      return (await stat(`${path}-wal`)).size;
    } catch (error) {
      // There is none, or none that can be looked at: that says nothing about its size.
      if (error instanceof Error) return 0;
      throw error;
    }
  },
  mostUnmergedBytes: LARGE_LOG_BYTES,
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
  },
};
