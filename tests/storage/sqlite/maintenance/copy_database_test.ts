import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { copyDatabase } from "../../../../src/storage/sqlite/maintenance/copy_database.ts";
import { withDatabasePath } from "../temporary_database.ts";

/** A database of some megabytes, in use. */
function fill(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec(`
    PRAGMA journal_mode = WAL;
    CREATE TABLE pairs (id INTEGER PRIMARY KEY, one TEXT, two TEXT);
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
    INSERT INTO pairs SELECT i, hex(randomblob(100)), 'first' FROM n;
    UPDATE pairs SET two = one;
  `);
  return database;
}

function count(path: string, condition: string): unknown {
  const copy = new DatabaseSync(path, { readOnly: true });
  try {
    return copy.prepare(`SELECT count(*) AS n FROM pairs WHERE ${condition}`).get()!.n;
  } finally {
    copy.close();
  }
}

Deno.test("copyDatabase() copies one moment of a database that is written all the while", async () => {
  await withDatabasePath(async (path, folder) => {
    const writer = fill(path);
    let writes = 0;
    await copyDatabase(path, `${folder}/copy`, {
      onStep() {
        // Across the whole file, so that a copy of several moments would have both values.
        writer.exec("UPDATE pairs SET two = 'later' WHERE id % 1000 = 0");
        writes++;
      },
    });
    assert.ok(writes > 3, `${writes} steps`);
    assert.equal(count(`${folder}/copy`, "two <> one"), 0);
    assert.equal(count(`${folder}/copy`, "true"), 20_000);
    assert.equal(count(path, "two = 'later'"), 20);
    writer.close();
  });
});

Deno.test("copyDatabase() leaves one file for its owner, without a log", async () => {
  await withDatabasePath(async (path, folder) => {
    const writer = fill(path);
    Deno.mkdirSync(`${folder}/copies`);
    await copyDatabase(path, `${folder}/copies/copy`);
    // Reading it makes no files either.
    assert.equal(count(`${folder}/copies/copy`, "true"), 20_000);
    assert.deepEqual([...Deno.readDirSync(`${folder}/copies`)].map(({ name }) => name), ["copy"]);
    assert.equal(Deno.statSync(`${folder}/copies/copy`).mode! & 0o777, 0o600);
    writer.close();
  });
});

Deno.test("copyDatabase() never writes over a file, and ends when it is told to", async () => {
  await withDatabasePath(async (path, folder) => {
    const writer = fill(path);
    Deno.writeTextFileSync(`${folder}/mine`, "mine");
    await assert.rejects(copyDatabase(path, `${folder}/mine`), { code: "EEXIST" });
    assert.equal(Deno.readTextFileSync(`${folder}/mine`), "mine");
    const onStep = () => {
      throw new Error("enough");
    };
    await assert.rejects(copyDatabase(path, `${folder}/copy`, { onStep }), /enough/);
    // Nobody reads the source any more: its log can be merged.
    writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    assert.equal(Deno.statSync(`${path}-wal`).size, 0);
    writer.close();
  });
});
