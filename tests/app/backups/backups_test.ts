import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { backupName, Backups } from "../../../src/app/backups/backups.ts";
import { systemClock } from "../../../src/domain/clock.ts";
import { examineBackup } from "../../../src/app/backups/examine_backup.ts";
import { unreserved } from "../../support/unreserved.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import { needsSmallDisk, SmallDisk } from "../../support/small_disk.ts";

const NOON = Date.UTC(2026, 10, 21, 12, 0, 1);

Deno.test("create() writes a proved file into the data dir, for its owner alone", async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir);
    const backups = new Backups(dataDir, {
      ...unreserved(dataDir),
      clock: { ...systemClock, now: () => NOON },
    });
    const report = await backups.create(undefined);
    const file = `${dataDir}/backups/tollgate-20261121-120001.db`;
    const bytes = await Deno.readFile(file);
    const { milliseconds, schema_version, ...facts } = report;
    assert.ok(milliseconds > 0 && schema_version >= 6);
    assert.deepEqual(facts, {
      file,
      bytes: bytes.length,
      sha256: createHash("sha256").update(bytes).digest("hex"),
      projects: 2,
      calls: 3,
      open_calls: 0,
      ledger_rows: 4,
      archives: 0,
      films: 0,
      film_bytes: 0,
      differences: [],
      omitted: 0,
    });
    assert.equal((await Deno.stat(file)).mode! & 0o777, 0o600);
    assert.equal((await Deno.stat(`${dataDir}/backups`)).mode! & 0o777, 0o700);
    assert.deepEqual([...Deno.readDirSync(`${dataDir}/backups`)].length, 1);
    const { milliseconds: _, ...again } = await examineBackup(file);
    assert.deepEqual(again, { schema_version, ...facts });
  });
});

Deno.test("create() never writes over a file, and says what is wrong with a place", async () => {
  await withDataDir(async (dataDir, folder) => {
    await makeHistory(dataDir, { calls: 0 });
    const backups = new Backups(dataDir, unreserved(dataDir));
    await Deno.writeTextFile(`${folder}/mine`, "mine");
    const cases = [
      [{ file: `${folder}/mine` }, "conflict", /something of that name already/],
      [{ folder: `${folder}/none` }, "conflict", /there is no folder .*\/none\. Make it first/],
      [{ file: `${folder}/mine/x` }, "conflict", /Cannot write the backup/],
    ] as const;
    for (const [place, error, message] of cases) {
      await assert.rejects(backups.create(place), (thrown: { error: string; message: string }) => {
        assert.equal(thrown.error, error, thrown.message);
        assert.match(thrown.message, message);
        return true;
      });
    }
    assert.equal(await Deno.readTextFile(`${folder}/mine`), "mine");
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name).sort(), [
      "data",
      "mine",
    ]);
  });
});

Deno.test("create() refuses a disk without room before it fills it", needsSmallDisk, async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir, { calls: 0 });
    await using disk = await SmallDisk.mount(8 * 1024 ** 2);
    const backups = new Backups(dataDir, unreserved(dataDir));
    await assert.rejects(backups.create({ folder: disk.folder }), {
      error: "storage_full",
      message: /bytes with some room to spare, and \d+ are free/,
    });
    assert.deepEqual([...Deno.readDirSync(disk.folder)], []);
  });
});

Deno.test("create() leaves the ledger's part of the disk alone", async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir, { calls: 0 });
    const looked: (string | undefined)[] = [];
    const freeBytes = (folder?: string) => {
      looked.push(folder);
      return 16 * 1024 ** 2;
    };
    const backups = new Backups(dataDir, { clock: systemClock, reserve: { freeBytes } });
    await assert.rejects(backups.create(undefined), {
      error: "storage_full",
      message: /16777216 are free beside what is kept for the ledger/,
    });
    assert.deepEqual(looked, [`${dataDir}/backups`]);
    assert.deepEqual([...Deno.readDirSync(`${dataDir}/backups`)], []);
  });
});

Deno.test("create() makes one backup at a time, and stop() ends it without a trace", async () => {
  await withDataDir(async (dataDir, folder) => {
    await makeHistory(dataDir);
    const backups = new Backups(dataDir, unreserved(dataDir));
    const first = backups.create({ file: `${folder}/one.db` });
    const ended = assert.rejects(first, /stopping/);
    // It begins in a later turn of the event loop.
    await new Promise((resolve) => setTimeout(resolve, 0));
    await assert.rejects(backups.create({ file: `${folder}/two.db` }), {
      message: /another one is under way/,
    });
    await backups.stop();
    await ended;
    assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), ["data"]);
    await assert.rejects(backups.create({ file: `${folder}/two.db` }), /stopping/);
  });
});

Deno.test("check() finds a damaged page of a database that is in use", async () => {
  await withDataDir(async (dataDir) => {
    await makeHistory(dataDir);
    const backups = new Backups(dataDir, unreserved(dataDir));
    await backups.check();
    const bytes = await Deno.readFile(`${dataDir}/tollgate.db`);
    bytes.fill(0xa5, 4096 * 20, 4096 * 30);
    await Deno.writeFile(`${dataDir}/tollgate.db`, bytes);
    await assert.rejects(backups.check(), /damaged|malformed/);
  });
});

Deno.test("backupName() sorts by time", () => {
  assert.equal(backupName(NOON), "tollgate-20261121-120001.db");
  assert.ok(backupName(NOON) < backupName(NOON + 1_000));
});
