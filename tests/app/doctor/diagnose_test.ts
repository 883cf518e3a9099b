/**
 * Every check, by a fault that is made for real.
 *
 * @module
 */

import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../src/storage/sqlite/database.ts";
import { MIGRATIONS } from "../../../src/storage/sqlite/migrations.ts";
import { numberedId } from "../../conformance/storage_video_samples.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import { startTestGateway } from "../../support/gateway.ts";
import { needsSmallDisk, SmallDisk } from "../../support/small_disk.ts";
import { complaints, examine, type ExamineOptions, wellServer } from "./patients.ts";

/** Runs with a data dir that a server has left in order. */
async function withPatient(
  run: (dataDir: string, folder: string) => Promise<void>,
  films = 0,
): Promise<void> {
  await withDataDir(async (dataDir, folder) => {
    await makeHistory(dataDir, { calls: 2, films });
    await run(dataDir, folder);
  });
}

function change(dataDir: string, sql: string): void {
  const database = new DatabaseSync(`${dataDir}/tollgate.db`);
  database.exec(sql);
  database.close();
}

async function assertComplains(dataDir: string, patterns: readonly RegExp[]): Promise<void> {
  const found = await complaints(dataDir);
  assert.equal(found.length, patterns.length, found.join("\n"));
  patterns.forEach((pattern, index) => assert.match(found[index]!, pattern));
}

Deno.test("diagnose() finds nothing where nothing is wrong, and changes no file", async () => {
  await withPatient(async (dataDir) => {
    const look = () =>
      [...Deno.readDirSync(dataDir)].filter(({ name }) => !/-(wal|shm)$/.test(name)).map(
        ({ name, isFile }) => [name, isFile ? Deno.readFileSync(`${dataDir}/${name}`) : undefined],
      );
    const before = look();
    const findings = await examine(dataDir);
    assert.deepEqual(findings.filter(({ status }) => status !== "ok"), []);
    assert.deepEqual(
      findings.map(({ check }) => check),
      "files disk server database clock books archives films uploads prices routes secrets upstreams"
        .split(" "),
    );
    assert.match(findings[3]!.detail, /^\d+ bytes with its log, schema version/);
    assert.deepEqual(look(), before);
  });
});

Deno.test("diagnose() says that there is no data dir, and that there is no database", async () => {
  await withDataDir(async (dataDir) => {
    await assertComplains(dataDir, [/^problem files: There is no data dir/]);
    await Deno.mkdir(dataDir, { mode: 0o700 });
    await assertComplains(dataDir, [/^warning database: There is none/]);
  });
});

Deno.test("diagnose() finds files and folders that others may open", async () => {
  await withPatient(async (dataDir) => {
    await Deno.chmod(`${dataDir}/tollgate.db`, 0o640);
    await Deno.chmod(`${dataDir}/videos`, 0o755);
    await assertComplains(dataDir, [
      /^problem files: Other users may open (?=.*tollgate\.db \(0640\))(?=.*videos \(0755\)).* → chmod -R go= /,
    ]);
    await Deno.chmod(`${dataDir}/videos`, 0o700);
    await Deno.chmod(`${dataDir}/tollgate.db`, 0o600);
    await Deno.chmod(dataDir, 0o711);
    await assertComplains(dataDir, [/Other users may open \/.*\(0711\)/]);
  });
});

const needsRoot = { ignore: Deno.uid() !== 0 };
Deno.test("diagnose() finds files of another user than the data dir's", needsRoot, async () => {
  await withPatient(async (dataDir) => {
    await Deno.chown(`${dataDir}/lock`, 65534, 65534);
    await assertComplains(dataDir, [
      /^problem files: lock belong to another user than .* \(0\) → chown -R 0:0/,
    ]);
  });
});

Deno.test("diagnose() finds what a backup or restore that was broken off left", async () => {
  await withPatient(async (dataDir) => {
    await Deno.mkdir(`${dataDir}/backups`, { mode: 0o700 });
    await Deno.writeTextFile(`${dataDir}/backups/a.db.x.part`, "", { mode: 0o600 });
    await Deno.mkdir(`${dataDir}/.tollgate-work-1`, { mode: 0o700 });
    await assertComplains(dataDir, [/^warning files: .*broken off.*(?=.*a\.db\.x\.part)/]);
  });
});

Deno.test("diagnose() finds a disk that is nearly full", needsSmallDisk, async () => {
  await withPatient(async (dataDir) => {
    await using disk = await SmallDisk.mount(16 * 1024 ** 2);
    const place = `${disk.folder}/data`;
    await Deno.mkdir(place, { mode: 0o700 });
    await Deno.copyFile(`${dataDir}/tollgate.db`, `${place}/tollgate.db`);
    await Deno.chmod(`${place}/tollgate.db`, 0o600);
    await assertComplains(place, [/^problem disk: Only \d+ MiB of 16 MiB are free/]);
  });
});

Deno.test("diagnose() tells what of the disk is the ledger's, and when nothing else is left", async () => {
  await withPatient(async (dataDir) => {
    const disk = async (options: ExamineOptions) =>
      (await examine(dataDir, options)).find(({ check }) => check === "disk")!;
    const { bavail, blocks, bsize } = statfsSync(dataDir);
    const [free, quarter] = [bavail * bsize, blocks * bsize / 4];
    assert.doesNotMatch((await disk({})).detail, /ledger/);
    const small = 16 * 1024 ** 2;
    const own = await disk({ reserveBytes: small });
    assert.match(own.detail, /a server with the settings found here keeps the last 16 MiB for the/);
    // What a server was started with counts, whatever this process finds.
    const server = wellServer({ system: { disk_reserve_bytes: small } });
    const told = await disk({ reserveBytes: 0, server });
    assert.match(told.detail, /; the server keeps the last 16 MiB for the ledger$/);
    const all = await disk({ reserveBytes: Number.MAX_SAFE_INTEGER });
    assert.equal(all.status, free > quarter ? "ok" : "warning", all.detail);
  });
});

Deno.test(
  "diagnose() warns of a disk of which only the ledger's part is left",
  needsSmallDisk,
  async () => {
    await using disk = await SmallDisk.mount(600 * 1024 ** 2);
    await withPatient(async (dataDir) => {
      const place = `${disk.folder}/data`;
      await Deno.mkdir(place, { mode: 0o700 });
      await Deno.copyFile(`${dataDir}/tollgate.db`, `${place}/tollgate.db`);
      await Deno.chmod(`${place}/tollgate.db`, 0o600);
      using ballast = await Deno.open(`${disk.folder}/ballast`, { write: true, create: true });
      await allocate(ballast, 456 * 1024 ** 2);
      const found = await complaints(place, { reserveBytes: 256 * 1024 ** 2 });
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(
        found[0]!,
        /^warning disk: Only .* keeps the last 150 MiB .* lower --disk-reserve/,
      );
    });
  },
);

/** A sparse file would take nothing. */
async function allocate(file: Deno.FsFile, bytes: number): Promise<void> {
  const block = new Uint8Array(1024 ** 2);
  for (let left = bytes; left > 0; left -= block.length) await file.write(block);
}

Deno.test("diagnose() finds the lock file and the socket of a server that died", async () => {
  await withPatient(async (dataDir) => {
    const socket = `${dataDir}/control.sock`;
    await Deno.writeTextFile(
      `${dataDir}/lock`,
      JSON.stringify({ pid: 4711, socket, kind: "server" }),
    );
    // A listener that is closed removes its own socket.
    const listener = Deno.listen({ transport: "unix", path: `${dataDir}/s` });
    await Deno.rename(`${dataDir}/s`, socket);
    listener.close();
    await assertComplains(dataDir, [
      /^warning server: .*\/lock names process 4711, which ended without/,
      /^warning server: .*control\.sock was left by a server/,
    ]);
  });
});

Deno.test("diagnose() tells a server that has the data dir and does not answer from none", async () => {
  await withDataDir(async (dataDir) => {
    await using _ = await startTestGateway({ dataDir });
    // It holds the lock; nobody has asked it over its socket.
    const found = await complaints(dataDir);
    assert.match(found.join("\n"), /^problem server: The server with process id \d+ has the data/m);
  });
});

Deno.test("diagnose() passes on what a server says of itself", async () => {
  await withPatient(async (dataDir) => {
    const cases = [
      [
        wellServer({ answers: { ready: false, reasons: ["the ledger cannot be written"] } }),
        /^problem server: Process 4711.*takes no calls, as the ledger cannot be written/,
      ],
      [
        wellServer({ answers: { warnings: ["video tasks wait for room on the disk"] } }),
        /^warning server: .*video tasks wait for room/,
      ],
      [
        wellServer({ system: { version: "0.0.1" } }),
        /^warning server: .*version 0\.0\.1.* → Restart/,
      ],
      [
        { ...wellServer(), answers: undefined, silence: { kind: "older" } },
        /^warning server: .*older than this program/,
      ],
      [
        wellServer({ system: { clock: { now: "", jumped_ms: -7_200_000 } } }),
        /^warning clock: It was set back by 2 hours while the server ran/,
      ],
    ] as const;
    for (const [server, pattern] of cases) {
      const found = await complaints(dataDir, { server });
      assert.equal(found.length, 1, found.join("\n"));
      assert.match(found[0]!, pattern);
    }
    assert.deepEqual(await complaints(dataDir, { server: wellServer() }), []);
  });
});

Deno.test("diagnose() finds a clock that was set back, by calls in the future", async () => {
  await withPatient(async (dataDir) => {
    const clock = { now: () => Date.now() - 2 * 86_400_000, monotonic: () => 0 };
    const found = await complaints(dataDir, { clock });
    assert.equal(found.length, 1);
    assert.match(found[0]!, /^problem clock: .*2 days in the future → Set the clock/);
  });
});

Deno.test("diagnose() finds junk, cut, damaged and newer databases, and leaves their bytes", async () => {
  await withPatient(async (dataDir) => {
    const path = `${dataDir}/tollgate.db`;
    const whole = await Deno.readFile(path);
    const damaged = whole.slice();
    damaged.fill(0xa5, 4096 * 20, 4096 * 30);
    const newer = whole.slice();
    new DataView(newer.buffer).setUint32(60, MIGRATIONS.length + 1);
    const cases = [
      [new TextEncoder().encode("junk"), /not an SQLite database → .*restore a backup/],
      [whole.slice(0, whole.length - 4096), /truncated/],
      [damaged, /Cannot open the database.* → .*restore a backup/],
      [newer, /schema version \d+.* → .*start a newer tollgate/],
    ] as const;
    for (const [bytes, pattern] of cases) {
      await Deno.writeFile(path, bytes);
      await assertComplains(dataDir, [pattern]);
      assert.deepEqual(await Deno.readFile(path), bytes);
      for (const suffix of ["-wal", "-shm"]) {
        await Deno.remove(path + suffix).catch(() => {});
      }
    }
  });
});

Deno.test("diagnose() says what it does not look at in a database of an older version", async () => {
  await withDataDir(async (dataDir) => {
    await Deno.mkdir(dataDir, { mode: 0o700 });
    openDatabase(`${dataDir}/tollgate.db`, { migrations: MIGRATIONS.slice(0, -1) }).close();
    const [older, ours] = [MIGRATIONS.length - 1, MIGRATIONS.length];
    const unread =
      `version ${older}.*books, films and catalogue are not looked at.* version ${ours} → `;
    await assertComplains(dataDir, [
      new RegExp(`^warning database: .*${unread}Start tollgate serve.*, then run doctor again`),
    ]);
    const served = await complaints(dataDir, { server: wellServer() });
    assert.equal(served.length, 1, served.join("\n"));
    assert.match(served[0]!, new RegExp(`${unread}Restart the server.*, then run doctor again`));
  });
});

Deno.test("diagnose() finds a log that has grown", async () => {
  await withPatient(async (dataDir) => {
    using log = await Deno.open(`${dataDir}/tollgate.db-wal`, {
      write: true,
      create: true,
      mode: 0o600,
    });
    await log.truncate(65 * 1024 ** 2);
    await assertComplains(dataDir, [/^warning database: Its log .* → The next start merges it/]);
  });
});

Deno.test("diagnose() finds balances that do not fit the ledger or the open calls", async () => {
  await withPatient(async (dataDir) => {
    change(dataDir, "UPDATE projects SET avail_e8 = avail_e8 + 1, held_e8 = 2 WHERE id = 'paying'");
    await assertComplains(dataDir, [
      /^problem books: paying has \d\.\d{8}, its ledger \d\.\d{8}, paying holds 0\.00000002, its open calls 0\.00000000 → tollgate ledger verify/,
    ]);
  });
});

Deno.test("diagnose() finds a ledger whose project is gone", async () => {
  await withPatient(async (dataDir) => {
    change(dataDir, "PRAGMA foreign_keys = OFF; DELETE FROM projects WHERE id = 'paying'");
    await assertComplains(dataDir, [
      /^problem books: paying has a ledger or open calls, and no balance → tollgate ledger verify/,
    ]);
  });
});

Deno.test("diagnose() finds films that are missing, cut short, or of no task", async () => {
  await withPatient(async (dataDir) => {
    const [film] = [...Deno.readDirSync(`${dataDir}/videos`)].map(({ name }) => name)
      .filter((name) => name.endsWith(".mp4"));
    const path = `${dataDir}/videos/${film}`;
    await Deno.truncate(path, 999);
    await assertComplains(dataDir, [/^warning films: 1 missing or cut short in .*: video_/]);
    await Deno.rename(path, `${dataDir}/videos/${numberedId("video_", 9)}.mp4`);
    await assertComplains(dataDir, [
      /^warning films: 1 missing or cut short/,
      /^warning films: 1 in .* that no task has: video_.*j → Copy them elsewhere/,
    ]);
    // What a server changes meanwhile is looked at again, and still there.
    assert.equal((await complaints(dataDir, { server: wellServer() })).length, 2);
  }, 1);
});
