/**
 * Backups by schedule: due from the newest good one, kept as many as is set, never the last good one
 * lost, and nothing deleted that was not made here.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Backups } from "../../../src/app/backups/backups.ts";
import { examineBackup } from "../../../src/app/backups/examine_backup.ts";
import { KeptBackups } from "../../../src/app/backups/keep_backups.ts";
import type { BackupSettings } from "../../../src/config/process_settings.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import { FakeClock } from "../../support/fake_clock.ts";
import { unreserved } from "../../support/unreserved.ts";

const DAY_MS = 86_400_000;
const FILM = `video_${"a".repeat(26)}`;

interface Scene {
  readonly dataDir: string;
  readonly folder: string;
  readonly clock: FakeClock;
  readonly backups: Backups;
  /** A server's schedule, as after another start. */
  begin(settings?: Partial<BackupSettings>): KeptBackups;
  files(): readonly string[];
  readonly lines: string[];
}

async function withScene(run: (scene: Scene) => Promise<void>): Promise<void> {
  await withDataDir(async (dataDir, above) => {
    await makeHistory(dataDir, { calls: 2 });
    const folder = `${above}/kept`;
    await Deno.mkdir(folder);
    const clock = new FakeClock();
    const { reserve } = unreserved(dataDir);
    const backups = new Backups(dataDir, { clock, reserve });
    const lines: string[] = [];
    const say = (event: string, fields: object = {}) =>
      lines.push(`${event} ${JSON.stringify(fields)}`);
    await run({
      ...{ dataDir, folder, clock, backups, lines },
      begin: (given = {}) =>
        new KeptBackups({
          ...{ dataDir, backups, reserve, clock },
          settings: { everyMs: DAY_MS, keep: 2, folder, films: false, ...given },
          log: { info: say, warn: say, error: say },
        }),
      files: () => [...Deno.readDirSync(folder)].map(({ name }) => name).sort(),
    });
    await backups.stop();
  });
}

Deno.test("one is due a day after the newest good one, whatever was started since", async () => {
  await withScene(async ({ begin, clock, files, folder }) => {
    const first = begin();
    await first.look();
    assert.deepEqual(files(), ["tollgate-20260101-000000.db"]);
    const { differences } = await examineBackup(`${folder}/${files()[0]}`);
    assert.deepEqual(differences, []);
    clock.advance(DAY_MS / 2);
    await first.look();
    const second = begin();
    await second.look();
    assert.equal(files().length, 1, "a start is no reason for one");
    assert.equal(second.view()!.nextAt, Date.UTC(2026, 0, 2));
    clock.advance(DAY_MS / 2);
    await Promise.all([second.look(), second.look()]);
    assert.equal(files().length, 2);
    // Somebody took the newest away: then the one before it says when.
    await Deno.remove(`${folder}/${files()[1]}`);
    await begin().look();
    assert.deepEqual(files(), ["tollgate-20260101-000000.db", "tollgate-20260102-000000.db"]);
    clock.advance(DAY_MS);
    await second.look();
    assert.deepEqual(files(), ["tollgate-20260102-000000.db", "tollgate-20260103-000000.db"]);
  });
});

Deno.test("only what was made by schedule is deleted, and never what has become another file", async () => {
  await withScene(async ({ begin, clock, files, folder, backups }) => {
    const { file: mine } = await backups.create({ file: `${folder}/tollgate-20250101-000000.db` });
    const kept = begin();
    for (let day = 0; day < 3; day++) {
      await kept.look();
      clock.advance(DAY_MS);
    }
    assert.deepEqual(files(), [
      "tollgate-20250101-000000.db",
      "tollgate-20260102-000000.db",
      "tollgate-20260103-000000.db",
    ]);
    await Deno.writeTextFile(`${folder}/tollgate-20260102-000000.db`, "an operator's note");
    await kept.look();
    clock.advance(DAY_MS);
    await kept.look();
    assert.ok(files().includes("tollgate-20260102-000000.db"));
    assert.ok(files().includes(mine.slice(folder.length + 1)));
    const rows = await backups.listMade();
    assert.deepEqual(rows.map(({ file }) => file.slice(folder.length + 1)), [
      "tollgate-20260105-000000.db",
      "tollgate-20260104-000000.db",
    ]);
  });
});

Deno.test("what fails is said, tried again in a while, and takes no good one with it", async () => {
  await withScene(async ({ begin, clock, folder, files, dataDir, lines }) => {
    const kept = begin({ keep: 1 });
    await kept.look();
    clock.advance(DAY_MS);
    await Deno.rename(folder, `${folder}.away`);
    await kept.look();
    assert.match(kept.trouble!, /there is no folder .*kept\. Make it first/);
    assert.deepEqual(kept.warnings().length, 1);
    assert.ok(!kept.warnings().join().includes(folder), "anybody may read that");
    assert.equal(kept.view()!.nextAt, Date.UTC(2026, 0, 2, 0, 15));
    await Deno.rename(`${folder}.away`, folder);
    clock.advance(60_000);
    await kept.look();
    assert.deepEqual(files(), ["tollgate-20260101-000000.db"]);
    clock.advance(15 * 60_000);
    await kept.look();
    assert.equal(kept.trouble, undefined);
    assert.deepEqual(files(), ["tollgate-20260102-001600.db"]);
    assert.equal(lines.filter((line) => line.startsWith("backup_failed")).length, 1);

    await Deno.writeTextFile(`${dataDir}/scheduled_backups.json`, "{");
    clock.advance(DAY_MS);
    await kept.look();
    assert.match(kept.trouble!, /scheduled_backups\.json is damaged/);
    assert.equal(files().length, 1, "nothing is made that could not be told from others");
  });
});

Deno.test("beside a backup that somebody else makes none is made, and what was the matter still is", async () => {
  await withScene(async ({ begin, backups, clock, folder, files, lines }) => {
    const kept = begin();
    await Deno.rename(folder, `${folder}.away`);
    await kept.look();
    await Deno.rename(`${folder}.away`, folder);
    const why = kept.trouble;
    assert.match(why!, /there is no folder/);
    clock.advance(15 * 60_000);
    const theirs = backups.create({ file: `${folder}/theirs.db` });
    await kept.look();
    assert.equal(backups.isWriting, true, "it would have waited");
    assert.equal(kept.trouble, why);
    assert.ok(kept.view()!.nextAt! <= clock.now(), "it is due all the same");
    await theirs;
    assert.deepEqual(files(), ["theirs.db"]);
    // At the very next look, and not a quarter of an hour later.
    clock.advance(60_000);
    const looking = kept.look();
    while (!backups.isWriting) await new Promise((resolve) => setTimeout(resolve));
    await assert.rejects(backups.create({ folder }), /another one is under way/);
    await looking;
    assert.equal(kept.trouble, undefined);
    assert.deepEqual(files(), ["theirs.db", "tollgate-20260101-001600.db"]);
    assert.equal(lines.filter((line) => line.startsWith("backup_failed")).length, 1);
  });
});

Deno.test("films are copied once, and go when no backup that is kept has them", async () => {
  await withScene(async ({ begin, clock, dataDir, folder }) => {
    await Deno.mkdir(`${dataDir}/videos`, { recursive: true });
    await Deno.writeTextFile(`${dataDir}/videos/${FILM}.mp4`, "a film");
    await Deno.writeTextFile(`${dataDir}/videos/${FILM}.part`, "half a film");
    const kept = begin({ films: true, keep: 1 });
    await kept.look();
    const films = () => [...Deno.readDirSync(`${folder}/films`)].map(({ name }) => name);
    assert.deepEqual(films(), [`${FILM}.mp4`]);
    assert.equal((await Deno.stat(`${folder}/films/${FILM}.mp4`)).mode! & 0o777, 0o600);
    await Deno.writeTextFile(`${folder}/films/notes.txt`, "an operator's");
    await Deno.remove(`${dataDir}/videos/${FILM}.mp4`);
    clock.advance(DAY_MS);
    await kept.look();
    assert.ok(films().includes(`${FILM}.mp4`), "it was there when the oldest was made, or after");
    clock.advance(DAY_MS);
    await kept.look();
    assert.deepEqual(films(), ["notes.txt"]);
  });
});

Deno.test("the end of a server is no failure, and without a schedule nothing is made", async () => {
  await withScene(async ({ begin, files, lines }) => {
    const none = begin({ everyMs: undefined });
    none.start();
    await none.look();
    assert.equal(none.view(), undefined);
    const ended = begin();
    ended.stop();
    await ended.look();
    assert.deepEqual([files(), lines], [[], []]);
  });
});
