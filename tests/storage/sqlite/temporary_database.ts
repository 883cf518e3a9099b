/**
 * A database path in a folder of its own, for one test.
 *
 * @module
 */

import { DatabaseSync } from "node:sqlite";

/** Runs with a path where there is no file yet, and removes the folder afterwards. */
export async function withDatabasePath(
  run: (path: string, folder: string) => Promise<void> | void,
): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate_sqlite_" });
  try {
    await run(`${folder}/tollgate.db`, folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Does something to the file behind the driver's back. */
export async function withRawDatabase(
  path: string,
  run: (database: DatabaseSync) => Promise<void> | void,
): Promise<void> {
  const database = new DatabaseSync(path);
  try {
    await run(database);
  } finally {
    database.close();
  }
}
