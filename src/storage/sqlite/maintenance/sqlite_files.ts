/**
 * Where SQLite databases lie: what is asked of them at every start, apart from their upkeep.
 *
 * @module
 */

import { stat } from "node:fs/promises";
import type { DatabaseFiles } from "../../ports/maintenance.ts";

/** The log is cut back to this; it grows beyond it while somebody reads for long. */
export const LARGE_LOG_BYTES = 64 * 1024 ** 2;

/** See the port. */
export const SQLITE_FILES: DatabaseFiles = {
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
};
