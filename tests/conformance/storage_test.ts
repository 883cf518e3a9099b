/**
 * The storage suite over the SQLite driver, in thread and in a Worker.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { createWorkerStorage } from "../../src/storage/sqlite/worker_client.ts";
import { writeNewDatabase } from "../support/new_database.ts";
import { type StorageDriver, testStorageDriver } from "./storage_suite.ts";

const SQLITE = {
  prepare: writeNewDatabase,
  withPlace: inTemporaryFolder,
  reusesItsFile: true,
  forgottenRows: 10_000,
};

const IN_FILES: readonly StorageDriver[] = [
  {
    name: "SQLite in thread",
    // deno-lint-ignore require-await
    open: async (path) => createSqliteStorage(path),
    ...SQLITE,
  },
  { name: "SQLite in a Worker", open: (path) => createWorkerStorage(path), ...SQLITE },
];

for (const driver of IN_FILES) {
  testStorageDriver(driver);

  Deno.test(`${driver.name}: a file that is no database is refused and left alone`, async () => {
    await inTemporaryFolder(async (path) => {
      const junk = "this is not a database\n".repeat(500);
      await Deno.writeTextFile(path, junk);
      await assert.rejects(driver.open(path), { name: "StorageOpenError" });
      assert.equal(await Deno.readTextFile(path), junk);
    });
  });
}

async function inTemporaryFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate_storage_" });
  try {
    await run(`${folder}/tollgate.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
