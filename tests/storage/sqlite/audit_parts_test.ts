import assert from "node:assert/strict";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { MIGRATIONS } from "../../../src/storage/sqlite/migrations.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { withDatabasePath } from "./temporary_database.ts";

Deno.test("what was applied before its parts were noted is found by each of them", async () => {
  await withDatabasePath(async (path) => {
    const before = openDatabase(path, { migrations: MIGRATIONS.slice(0, 13) });
    const insert = before.prepare(
      `INSERT INTO audit (seq, at, channel, operation, subject, before, after, previous, checksum)
       VALUES (?, 1, 'in_process', ?, ?, ?, ?, 0, 0)`,
    );
    const shop = JSON.stringify({ "project shop": { models: ["*"] }, "route a/b": {} });
    insert.run(1, "catalogue.apply", "catalogue:/etc/t.yaml", null, shop);
    insert.run(2, "projects.set", "project:shop", shop, shop);
    insert.run(3, "catalogue.apply", "catalogue:/etc/t.yaml", shop, '{"currency EUR":{}}');
    before.close();
    const storage = createSqliteStorage(path);
    const found = async (subject: string) =>
      (await storage.audit.list({ subject, limit: 10 })).map(({ seq }) => seq);
    assert.deepEqual(await found("shop"), [3, 2, 1]);
    assert.deepEqual(await found("project:shop"), [3, 2, 1]);
    assert.deepEqual(await found("route:a/b"), [3, 1]);
    assert.deepEqual(await found("currency:EUR"), [3]);
    assert.deepEqual(await found("project"), []);
    await storage.close();
  });
});
