import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { createStores } from "../../../src/storage/sqlite/stores.ts";
import {
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

/** The database, whose statement that reads balances does something first. */
function pausingBeforeBalances(database: DatabaseSync, pause: () => void): DatabaseSync {
  const prepare = database.prepare.bind(database);
  database.prepare = (sql) => {
    const statement = prepare(sql);
    if (!sql.startsWith("SELECT id, avail_e8")) return statement;
    return new Proxy(statement, {
      get(target, name) {
        if (name === "all") pause();
        const value = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
  };
  return database;
}

Deno.test("snapshot() is of one moment on a connection beside the writer's", async () => {
  await withDatabasePath(async (path) => {
    const writer = createSqliteStorage(path);
    await fundProject(writer, 1_000n);
    await writer.commitBatch([{ kind: "hold", call: sampleOpenCall({ heldE8: 100n }) }]);
    let writing: Promise<unknown> | undefined;
    const database = pausingBeforeBalances(new DatabaseSync(path, { readOnly: true }), () => {
      const call = sampleClosedCall({ heldE8: 100n, chargedE8: 60n, lossE8: 0n });
      writing ??= writer.commitBatch([{ kind: "close", call }]);
    });
    const reader = createStores(database, path, { readOnly: true });
    const query = { after: [], rows: 10, openCalls: 10 };
    const { rows, balances, openCalls } = reader.snapshot(query);
    assert.deepEqual(await writing, [{ ok: true }], "it was written meanwhile");
    assert.deepEqual(rows.map(({ balanceAfterE8 }) => balanceAfterE8), [1_000n]);
    assert.deepEqual(balances, [{ projectId: "acme", avail: 900n, held: 100n }]);
    assert.deepEqual(openCalls.map(({ heldE8 }) => heldE8), [100n]);
    const later = reader.snapshot(query);
    assert.deepEqual(later.balances, [{ projectId: "acme", avail: 940n, held: 0n }]);
    assert.deepEqual([later.rows.length, later.openCalls.length], [2, 0]);
    reader.close();
    await writer.close();
  });
});
