import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { Backups } from "../../../src/app/backups/backups.ts";
import { copyForWork } from "../../../src/app/backups/copy_for_work.ts";
import { restoreBackup, type RestorePlace } from "../../../src/app/backups/restore_backup.ts";
import { lockDataDir } from "../../../src/storage/ownership/data_dir_lock.ts";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { MIGRATIONS } from "../../../src/storage/sqlite/migrations.ts";
import { unreserved } from "../../support/unreserved.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import { numberedId } from "../../conformance/storage_video_samples.ts";
import { FileSystemCrash } from "./file_system_crash.ts";

const NOON = Date.UTC(2026, 10, 21, 12, 0, 1);
const STAMP = "20261121-120001";

function restore(
  file: string,
  dataDir: string,
  options: Partial<RestorePlace> = {},
): ReturnType<typeof restoreBackup> {
  return restoreBackup({
    file,
    dataDir,
    mayReplace: true,
    acceptsDifferences: false,
    now: NOON,
    ...options,
  });
}

/** A data dir with 3 calls in its backup and 5 in its database. */
async function withBackup(
  run: (place: { file: string; dataDir: string; folder: string }) => Promise<void>,
): Promise<void> {
  await withDataDir(async (dataDir, folder) => {
    await makeHistory(dataDir, { calls: 3 });
    const file = `${folder}/b.db`;
    await new Backups(dataDir, unreserved(dataDir)).create({ file });
    await makeHistory(dataDir, { calls: 2 });
    await run({ file, dataDir, folder });
  });
}

function callsIn(path: string): number {
  const database = new DatabaseSync(path);
  try {
    assert.equal(database.prepare("PRAGMA integrity_check").get()!.integrity_check, "ok");
    return database.prepare("SELECT count(*) AS n FROM calls").get()!.n as number;
  } finally {
    database.close();
  }
}

function namesIn(folder: string): string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).sort();
}

Deno.test("restoreBackup() puts the backup in place and keeps the old database, its log merged", async () => {
  await withBackup(async ({ file, dataDir }) => {
    const kept = `${dataDir}/tollgate.db.before-restore-${STAMP}`;
    // A log that only a killed process leaves.
    const killed = new DatabaseSync(`${dataDir}/tollgate.db`);
    killed.exec("PRAGMA journal_mode = WAL; INSERT INTO meta VALUES ('in the log', '1')");
    const log = await Deno.readFile(`${dataDir}/tollgate.db-wal`);
    killed.close();
    await Deno.writeFile(`${dataDir}/tollgate.db-wal`, log);

    const report = await restore(file, dataDir);
    assert.equal(report.kept, kept);
    assert.equal(report.calls, 3);
    assert.equal(callsIn(`${dataDir}/tollgate.db`), 3);
    assert.equal(callsIn(kept), 5);
    const before = new DatabaseSync(kept, { readOnly: true });
    assert.equal(
      before.prepare("SELECT value FROM meta WHERE name = 'in the log'").get()!.value,
      "1",
    );
    before.close();
    assert.equal((await Deno.stat(`${dataDir}/tollgate.db`)).mode! & 0o777, 0o600);
    // The server goes on with it, and books and limits with the calls of the backup.
    await makeHistory(dataDir, { calls: 1 });
    assert.equal(callsIn(`${dataDir}/tollgate.db`), 4);
  });
});

Deno.test("restoreBackup() fills a data dir that does not exist", async () => {
  await withBackup(async ({ file, folder }) => {
    const { kept } = await restore(file, `${folder}/new`, { mayReplace: false });
    assert.equal(kept, null);
    assert.equal(callsIn(`${folder}/new/tollgate.db`), 3);
    assert.equal((await Deno.stat(`${folder}/new`)).mode! & 0o777, 0o700);
  });
});

Deno.test("restoreBackup() changes nothing while a server runs, without leave, and for a bad backup", async () => {
  await withBackup(async ({ file, dataDir, folder }) => {
    const bytes = await Deno.readFile(`${dataDir}/tollgate.db`);
    const names = namesIn(dataDir);
    await assert.rejects(restore(file, dataDir, { mayReplace: false }), {
      message: /With --yes it is replaced.*Nothing was changed/,
    });
    const owner = { pid: 4711, socket: "/run/x.sock", kind: "server" } as const;
    const lock = await lockDataDir(dataDir, { owner });
    await assert.rejects(restore(file, dataDir), {
      message: /server with process id 4711 has it/,
    });
    lock.release();
    const altered = `${folder}/altered.db`;
    await Deno.copyFile(file, altered);
    const raw = new DatabaseSync(altered);
    raw.exec("UPDATE projects SET avail_e8 = avail_e8 + 5 WHERE id = 'paying'");
    raw.close();
    await assert.rejects(restore(altered, dataDir), {
      message: /books have 1 differences.*--accept-differences/,
    });
    const junk = `${folder}/junk.db`;
    await Deno.writeTextFile(junk, "junk");
    await assert.rejects(restore(junk, dataDir), { name: "StorageOpenError" });
    assert.deepEqual(await Deno.readFile(`${dataDir}/tollgate.db`), bytes);
    assert.deepEqual(namesIn(dataDir), names);

    await restore(altered, dataDir, { acceptsDifferences: true });
    assert.equal(callsIn(`${dataDir}/tollgate.db`), 3);
  });
});

Deno.test("restoreBackup() brings an older schema to this program's", async () => {
  await withDataDir(async (dataDir, folder) => {
    const file = `${folder}/old.db`;
    openDatabase(file, { migrations: MIGRATIONS.slice(0, 2) }).close();
    const { schema_version } = await restore(file, dataDir);
    assert.equal(schema_version, 2);
    const database = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
    assert.equal(database.prepare("PRAGMA user_version").get()!.user_version, MIGRATIONS.length);
    database.close();
    assert.deepEqual(namesIn(dataDir).filter((name) => !/^tollgate\.db/.test(name)), ["lock"]);
  });
});

Deno.test("restoreBackup() keeps a damaged database and its log as they are", async () => {
  await withBackup(async ({ file, dataDir }) => {
    const junk = new TextEncoder().encode("junk ".repeat(1000));
    await Deno.writeFile(`${dataDir}/tollgate.db`, junk);
    await Deno.writeFile(`${dataDir}/tollgate.db-wal`, junk);
    const { kept } = await restore(file, dataDir);
    assert.deepEqual(await Deno.readFile(kept!), junk);
    assert.deepEqual(await Deno.readFile(`${kept}-wal`), junk);
    assert.equal(callsIn(`${dataDir}/tollgate.db`), 3);
  });
});

Deno.test("restoreBackup() keeps films that the backup does not know, and counts those it lacks", async () => {
  await withDataDir(async (dataDir, folder) => {
    const [lost] = await makeHistory(dataDir, { calls: 0, films: 1 });
    const file = `${folder}/b.db`;
    const { films } = await new Backups(dataDir, unreserved(dataDir)).create({ file });
    assert.equal(films, 1);
    const later = numberedId("video_", 9);
    await Deno.rename(`${dataDir}/videos/${lost}.mp4`, `${dataDir}/videos/${later}.mp4`);
    const film = await Deno.readFile(`${dataDir}/videos/${later}.mp4`);

    const report = await restore(file, dataDir);
    const aside = `${dataDir}/videos.before-restore-${STAMP}`;
    assert.deepEqual([report.films_missing, report.films_set_aside, report.films_folder], [
      1,
      1,
      aside,
    ]);
    await makeHistory(dataDir, { calls: 1 });
    assert.deepEqual(await Deno.readFile(`${aside}/${later}.mp4`), film);
    assert.deepEqual(
      namesIn(`${dataDir}/videos`).filter((name) => name.endsWith(".mp4")),
      [],
    );
  });
});

Deno.test("after restoreBackup(), what later sessions were making is not taken for the next one's", async () => {
  await withBackup(async ({ file, dataDir }) => {
    const folder = `${dataDir}/videos`;
    // Sessions 2 and 3 came after the backup, of the first one; the next start is the second again.
    for (const session of [2, 3]) {
      await Deno.writeTextFile(`${folder}/${numberedId("video_", 1)}.${session}.part`, "half");
    }
    await restore(file, dataDir);
    await makeHistory(dataDir, { calls: 1 });
    assert.deepEqual(namesIn(folder).filter((name) => name.endsWith(".part")), []);
    const restored = new DatabaseSync(`${dataDir}/tollgate.db`, { readOnly: true });
    const { value } = restored.prepare("SELECT value FROM meta WHERE name = 'last_session'").get()!;
    restored.close();
    assert.equal(value, "2");
  });
});

Deno.test("restoreBackup() leaves the old database or the new one, wherever it is broken off", async () => {
  await withBackup(async ({ file, dataDir, folder }) => {
    const outcomes = new Set<number>();
    let after = 0;
    for (let isOver = false; !isOver; after++) {
      assert.ok(after < 200, "it never comes to its end");
      const place = `${folder}/try`;
      await copyFolder(dataDir, place);
      {
        using crash = new FileSystemCrash(after);
        await restore(file, place).then(() => isOver = true, (error) => {
          assert.ok(crash.hasCome, String(error));
        });
      }
      const calls = callsIn(`${place}/tollgate.db`);
      outcomes.add(calls);
      assert.ok(calls === 3 || calls === 5, `${calls} calls after ${after} steps`);
      // The next attempt is not in the way of what is left.
      await restore(file, place, { now: NOON + 5_000 });
      assert.equal(callsIn(`${place}/tollgate.db`), 3);
      await Deno.remove(place, { recursive: true });
    }
    assert.ok(after > 6, `${after} steps`);
    assert.deepEqual([...outcomes].sort(), [3, 5]);
  });
});

async function copyFolder(from: string, to: string): Promise<void> {
  await Deno.mkdir(to);
  for await (const { name, isFile } of Deno.readDir(from)) {
    if (isFile) await Deno.copyFile(`${from}/${name}`, `${to}/${name}`);
  }
}

Deno.test("copyForWork() copies one moment of a database that is written meanwhile", async () => {
  await withBackup(async ({ file, folder }) => {
    const writer = new DatabaseSync(file);
    writer.exec("PRAGMA journal_mode = WAL; CREATE TABLE grown (a)");
    const insert = writer.prepare("INSERT INTO grown VALUES (zeroblob(100000))");
    for (let row = 0; row < 200; row++) insert.run();
    const copying = copyForWork(file, { beside: folder });
    let isCopied = false;
    const copied = copying.finally(() => isCopied = true);
    while (!isCopied) {
      insert.run();
      writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
      await new Promise((resolve) => setTimeout(resolve));
    }
    await using copy = await copied;
    assert.equal(callsIn(copy.path), 3);
    writer.close();
  });
});
