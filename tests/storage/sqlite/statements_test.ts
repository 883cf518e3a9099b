/**
 * Statements are prepared when they are first asked for, and those of the stores are all right.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import {
  prepareAll,
  prepareBigInts,
  prepareWaiting,
} from "../../../src/storage/sqlite/statements.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import { listening } from "./query_plans.ts";
import { withDatabasePath } from "./temporary_database.ts";

Deno.test("every statement of the stores is one that SQLite takes", async () => {
  await withDatabasePath((path) => {
    const database = openDatabase(path);
    createStores(database, path);
    assert.ok(prepareWaiting(database) > 100);
    assert.equal(prepareWaiting(database), 0);
    database.close();
  });
});

Deno.test("a statement is prepared once, when it is first asked for", () => {
  const prepared = new Set<string>();
  using database = new DatabaseSync(":memory:");
  const heard = listening(database, prepared);
  const sql = prepareAll(heard, { one: "SELECT 1 AS n", wrong: "SELECT n FROM nowhere" });
  const wide = prepareBigInts(heard, { two: "SELECT 2 AS n" });
  assert.deepEqual([...prepared], []);
  assert.deepEqual({ ...sql.one.get() }, { n: 1 });
  assert.equal(sql.one, sql.one);
  assert.deepEqual({ ...wide.two.get() }, { n: 2n });
  assert.deepEqual([...prepared], ["SELECT 1 AS n", "SELECT 2 AS n"]);
  assert.throws(() => sql.wrong, /no such table: nowhere/);
  assert.throws(() => prepareWaiting(heard), /no such table: nowhere/);
});
