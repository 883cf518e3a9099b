import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Backups } from "../../../src/app/backups/backups.ts";
import { examineBackup } from "../../../src/app/backups/examine_backup.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { MIGRATIONS } from "../../../src/storage/sqlite/migrations.ts";
import { unreserved } from "../../support/unreserved.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";

async function withBackup(
  run: (file: string, folder: string) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir, folder) => {
    await makeHistory(dataDir);
    const file = `${folder}/b.db`;
    await new Backups(dataDir, unreserved(dataDir)).create({ file });
    await run(file, folder);
  });
}

/** Must be refused with one line, and keep its bytes and its folder. */
async function assertRefused(file: string, message: RegExp): Promise<void> {
  const folder = file.slice(0, file.lastIndexOf("/"));
  const names = () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
  const before = { bytes: Deno.readFileSync(file), names: names() };
  await assert.rejects(examineBackup(file), (error: Error) => {
    assert.match(error.message, message);
    assert.ok(!error.message.includes("\n"));
    return true;
  });
  assert.deepEqual({ bytes: Deno.readFileSync(file), names: names() }, before);
}

Deno.test("examineBackup() refuses what is damaged, cut short, junk, empty or another program's", async () => {
  await withBackup(async (file, folder) => {
    const whole = await Deno.readFile(file);
    await Deno.writeFile(file, whole.slice(0, whole.length - 4096));
    await assertRefused(file, /truncated/);
    const damaged = whole.slice();
    damaged.fill(0xa5, 4096 * 20, 4096 * 30);
    await Deno.writeFile(file, damaged);
    await assertRefused(file, /Cannot open the database.*; take another backup$/);
    await Deno.writeTextFile(file, "junk ".repeat(1000));
    await assertRefused(file, /not an SQLite database/);
    await Deno.writeTextFile(file, "");
    await assertRefused(file, /missing or holds nothing/);
    await assert.rejects(examineBackup(`${folder}/none`), /missing or holds nothing/);
    await Deno.remove(file);
    const theirs = new DatabaseSync(file);
    theirs.exec("CREATE TABLE theirs (a)");
    theirs.close();
    await assertRefused(file, /another program/);
  });
});

Deno.test("examineBackup() refuses a newer schema, and indexes that do not fit their rows", async () => {
  await withBackup(async (file) => {
    const raw = new DatabaseSync(file);
    raw.exec(`PRAGMA user_version = ${MIGRATIONS.length + 1}`);
    raw.close();
    await assertRefused(file, /schema version \d+ and this program knows versions up to/);
  });
  await withBackup(async (file) => {
    // What the quick check does not see: an index with another value than its row.
    const raw = new DatabaseSync(file);
    const { rootpage } = raw.prepare(
      "SELECT rootpage FROM sqlite_schema WHERE name = 'keys_by_project'",
    ).get()!;
    raw.close();
    const bytes = await Deno.readFile(file);
    const text = new TextDecoder("latin1").decode(bytes);
    const at = text.indexOf("paying", (Number(rootpage) - 1) * 4096);
    bytes[at + 1] = "b".charCodeAt(0);
    await Deno.writeFile(file, bytes);
    await assertRefused(file, /keys_by_project/);
  });
});

Deno.test("examineBackup() lists what does not add up in the books", async () => {
  await withBackup(async (file) => {
    const raw = new DatabaseSync(file);
    raw.exec("UPDATE projects SET avail_e8 = avail_e8 + 5 WHERE id = 'paying'");
    raw.close();
    const { differences } = await examineBackup(file);
    assert.deepEqual(differences.map(({ id, column }) => ({ id, column })), [
      { id: "paying", column: "avail_e8" },
    ]);
  });
});

Deno.test("examineBackup() reads the books of an older schema in a copy, and of a file with its log", async () => {
  await withDataDir(async (_, folder) => {
    const file = `${folder}/old.db`;
    openDatabase(file, { migrations: MIGRATIONS.slice(0, 2) }).close();
    const bytes = await Deno.readFile(file);
    const { schema_version, differences, projects } = await examineBackup(file);
    assert.deepEqual({ schema_version, differences, projects }, {
      schema_version: 2,
      differences: [],
      projects: 0,
    });
    assert.deepEqual(await Deno.readFile(file), bytes);
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["old.db"]);
  });
});

Deno.test("examineBackup() leaves the log to a server that starts on the file meanwhile", async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir);
    const file = `${dataDir}/tollgate.db`;
    const examined = examineBackup(file, { isBeside: true });
    const server = openDatabase(file);
    server.exec("CREATE TABLE meanwhile (a)");
    await examined;
    assert.ok((await Deno.stat(`${file}-wal`)).size > 0);
    const other = new DatabaseSync(file, { readOnly: true });
    assert.equal(other.prepare("SELECT count(*) AS n FROM meanwhile").get()!.n, 0);
    other.close();
    server.close();
    await examineBackup(file);
    assert.deepEqual(
      [...Deno.readDirSync(dataDir)].map(({ name }) => name).filter((name) => /db-/.test(name)),
      [],
    );
  });
});
