/**
 * The storage suite over the SQLite driver, in thread and in a Worker.
 *
 * @module
 */

import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { createWorkerStorage } from "../../src/storage/sqlite/worker_client.ts";
import { testStorageDriver } from "./storage_suite.ts";

testStorageDriver({
  name: "SQLite in thread",
  // deno-lint-ignore require-await
  open: async (path) => createSqliteStorage(path),
});

testStorageDriver({
  name: "SQLite in a Worker",
  open: (path) => createWorkerStorage(path),
});
