import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { fundProject, NOON_ISH, sampleClosedCall } from "../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

function modeOf(path: string): string {
  return (Deno.statSync(path).mode! & 0o777).toString(8);
}

function pragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`PRAGMA ${name}`).get()!)[0];
}

/** A closed database with enough pages for damage in the middle of it. */
async function writeDatabase(path: string): Promise<void> {
  const storage = createSqliteStorage(path);
  await fundProject(storage, 10_000_000n);
  await storage.commitBatch(
    Array.from({ length: 300 }, (_, index) => ({
      kind: "close",
      call: sampleClosedCall({ callId: index + 1 }),
    })),
  );
  await storage.close();
}

/** Opening must fail with one line that matches, and leave the bytes as they are. */
function assertRefused(path: string, message: RegExp): void {
  const before = Deno.readFileSync(path);
  assert.throws(() => openDatabase(path), (error: Error) => {
    assert.equal(error.name, "StorageOpenError");
    assert.match(error.message, message);
    assert.equal(error.message.includes("\n"), false);
    assert.equal(error.message.includes(path), true);
    return true;
  });
  assert.deepEqual(Deno.readFileSync(path), before);
}

Deno.test("openDatabase() makes a durable database that only its owner can read", async () => {
  await withDatabasePath((_, folder) => {
    const path = `${folder}/data/tollgate.db`;
    const database = openDatabase(path);
    database.exec("INSERT INTO meta (name, value) VALUES ('a', 'b')");
    assert.equal(pragma(database, "journal_mode"), "wal");
    assert.equal(pragma(database, "synchronous"), 2);
    assert.equal(pragma(database, "busy_timeout"), 250);
    assert.equal(pragma(database, "foreign_keys"), 1);
    assert.equal(modeOf(`${folder}/data`), "700");
    for (const name of [path, `${path}-wal`, `${path}-shm`]) assert.equal(modeOf(name), "600");
    database.close();
  });
});

Deno.test("a database overwrites what is deleted", async () => {
  await withDatabasePath((path) => {
    const secret = "what a caller deleted ";
    const database = openDatabase(path);
    const insert = database.prepare("INSERT INTO meta (name, value) VALUES (?, ?)");
    insert.run("short", secret);
    insert.run("over many pages", secret.repeat(5_000));
    database.exec("DELETE FROM meta WHERE name IN ('short', 'over many pages')");
    database.close();
    assert.ok(!Deno.readTextFileSync(path).includes(secret));
  });
});

Deno.test("openDatabase() takes away what others may do with an older file", async () => {
  await withDatabasePath(async (path) => {
    await writeDatabase(path);
    Deno.chmodSync(path, 0o644);
    openDatabase(path).close();
    assert.equal(modeOf(path), "600");
  });
});

Deno.test("openDatabase() refuses junk and other programs' files, and leaves them alone", async () => {
  await withDatabasePath(async (path) => {
    Deno.writeTextFileSync(path, "x");
    assertRefused(path, /not an SQLite database.*Nothing was changed/);
    Deno.writeTextFileSync(path, "junk ".repeat(4096));
    assertRefused(path, /not an SQLite database/);
    Deno.removeSync(path);
    await withRawDatabase(path, (database) => database.exec("CREATE TABLE theirs (a)"));
    assertRefused(path, /belongs to another program/);
  });
});

Deno.test("openDatabase() refuses a truncated file and leaves it alone", async () => {
  await withDatabasePath(async (path) => {
    await writeDatabase(path);
    const whole = Deno.readFileSync(path);
    for (const bytes of [whole.length - 4096, 4096, 50]) {
      Deno.writeFileSync(path, whole.slice(0, bytes));
      assertRefused(path, bytes < 100 ? /Cannot open the database/ : /truncated/);
    }
  });
});

Deno.test("openDatabase() refuses a file that is empty while its log is not, and leaves both alone", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fundProject(storage, 7n);
    const log = Deno.readFileSync(`${path}-wal`);
    await storage.close();
    Deno.writeFileSync(path, new Uint8Array());
    Deno.writeFileSync(`${path}-wal`, log);
    assertRefused(path, /truncated to nothing/);
    assert.deepEqual(Deno.readFileSync(`${path}-wal`), log);
  });
});

Deno.test("openDatabase() refuses a file with overwritten pages and leaves it alone", async () => {
  await withDatabasePath(async (path) => {
    await writeDatabase(path);
    const bytes = Deno.readFileSync(path);
    bytes.fill(0xa5, 4096 * 5, 4096 * 6);
    Deno.writeFileSync(path, bytes);
    assertRefused(path, /: it is damaged: [^*]+\. Nothing was changed; restore a backup/);
    bytes.fill(0xa5, 4096 * 12, 4096 * 20);
    Deno.writeFileSync(path, bytes);
    assertRefused(path, /Cannot open the database.*restore a backup/);
  });
});

Deno.test("openDatabase() recovers what only the write-ahead log has", async () => {
  await withDatabasePath(async (path, folder) => {
    const storage = createSqliteStorage(path);
    await fundProject(storage, 7n);
    // Files copied while they are in use are what a killed process leaves.
    Deno.mkdirSync(`${folder}/killed`);
    for (const suffix of ["", "-wal"]) {
      Deno.copyFileSync(`${path}${suffix}`, `${folder}/killed/tollgate.db${suffix}`);
    }
    await storage.close();
    const survivor = createSqliteStorage(`${folder}/killed/tollgate.db`);
    assert.deepEqual(await survivor.accounts.loadBalances(), [
      { projectId: "acme", avail: 7n, held: 0n },
    ]);
    await survivor.close();
  });
});

Deno.test("an entry is refused while another program holds the lock, and written afterwards", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fundProject(storage, 7n);
    const credit = {
      kind: "credit",
      projectId: "acme",
      amountE8: 1n,
      reference: undefined,
      at: NOON_ISH,
    } as const;
    const other = new DatabaseSync(path);
    other.exec("BEGIN IMMEDIATE");
    const [refused] = await storage.commitBatch([credit]);
    assert.equal(!refused!.ok && refused!.reason, "unavailable");
    assert.match(!refused!.ok ? refused!.message : "", /locked/);
    other.exec("ROLLBACK");
    other.close();
    assert.deepEqual(await storage.commitBatch([credit]), [{ ok: true }]);
    await storage.close();
  });
});

Deno.test("close() leaves one file", async () => {
  await withDatabasePath(async (path, folder) => {
    await writeDatabase(path);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["tollgate.db"]);
  });
});
