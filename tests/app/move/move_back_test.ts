/**
 * Moves back into a data dir from beginning to end: broken off anywhere, repeated, refused, and there again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { noteComingBack } from "../../../src/app/database/moved_away.ts";
import { openDatabase } from "../../../src/app/database/driver.ts";
import { serverToLeave } from "../../../src/app/database/moving.ts";
import {
  addEndedSessions,
  endedSessionsIn,
} from "../../../src/app/sessions/keep_ended_sessions.ts";
import { moveToFile } from "../../../src/app/move/move_to_file.ts";
import { moveToServer } from "../../../src/app/move/move_to_server.ts";
import { runCommand } from "../../cli/run_in_process.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import {
  bytesOf,
  countOf,
  newDatabase,
  now,
  opens,
  watcherUntil,
  withoutServer,
} from "./move_sides.ts";

const server = postgresOfFile();

Deno.test(
  "what is on a server goes back into a data dir, broken off anywhere",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 4, films: 1 });
      const { server: place } = await newDatabase(server);
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      const back = `${folder}/back`;
      const options = { dataDir: back, server: place, now, mayReplace: false };
      let steps = 1;
      for (;; steps += 4) {
        try {
          const report = await moveToFile({ ...options, watcher: watcherUntil(steps) });
          assert.equal(countOf(report, "calls"), 5);
          assert.deepEqual(report.books?.differences, []);
          break;
        } catch (error) {
          assert.equal((error as Error).name, "AbortError", String(error));
        }
        await assert.rejects(Deno.stat(`${back}/tollgate.db`), Deno.errors.NotFound);
        await opens(back, { ...withoutServer, server: place });
      }
      assert.ok(steps > 20, String(steps));
      await opens(back, withoutServer);
      await assert.rejects(
        opens(back, { ...withoutServer, server: place }),
        /all of it was moved to .*back at .*Serve from that data dir/,
      );
      // And there again, over what has left.
      const again = await moveToServer({
        dataDir: back,
        server: place,
        now,
        watcher: watcherUntil(),
      });
      assert.match(again.earlier!, /it begins anew: what the database had was moved to/);
      await opens(back, { ...withoutServer, server: place });
      // Into the data dir that it came from: what is there is kept.
      await assert.rejects(
        moveToFile({ ...options, dataDir, watcher: watcherUntil() }),
        /has a database\. With --yes it is replaced/,
      );
      const { kept } = await moveToFile({
        ...options,
        dataDir,
        mayReplace: true,
        watcher: watcherUntil(),
      });
      assert.match(kept!, /tollgate\.db\.before-move-/);
      await opens(dataDir, withoutServer);
      const names = [...Deno.readDirSync(dataDir)].map(({ name }) => name);
      assert.deepEqual(names.filter((name) => /moving|moved/.test(name)), []);
    });
  },
);

Deno.test(
  "a database that others use is not moved, nor one that somebody has used meanwhile",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 2 });
      const { server: place, database } = await newDatabase(server);
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      const back = { dataDir: `${folder}/back`, server: place, now, mayReplace: false };
      for (const name of ["other", "back"]) await Deno.mkdir(`${folder}/${name}`);
      const other = await openDatabase(`${folder}/other`, { ...withoutServer, server: place });
      await other.storage.beginSession();
      await assert.rejects(
        moveToFile({ ...back, watcher: watcherUntil() }),
        /The database is in use by a command with process id \d+.*: run commands there, or stop that first/,
      );
      // Until it is seen to live it may have been killed: whoever waits knows why.
      const { stderr } = await runCommand([
        "move",
        "--from",
        place.url,
        "--data-dir",
        back.dataDir,
      ]);
      assert.match(
        stderr,
        /^Waiting for the end of session \d+, of a command .*\/other\): .* 20 s at most\n.*in use by/m,
      );
      assert.equal(stderr.match(/Waiting/g)!.length, 1);
      await other.storage.close();

      const source = await serverToLeave(place, back.dataDir);
      try {
        const late = await openDatabase(`${folder}/other`, { ...withoutServer, server: place });
        await late.storage.beginSession();
        await late.storage.close();
        await assert.rejects(
          source.leave({ other: back.dataDir, at: now(), run: "1" }),
          /While move_\d+ on .* was moved it was used by a command with .*\/other\).*move again/,
        );
      } finally {
        await source.close();
      }
      assert.match(
        await server.ask(database, "SELECT value FROM cluster_meta WHERE name = 'move'"),
        /"state":"whole"/,
      );
      // Nothing is in the way of the next one, also where it was broken off behind its last word.
      await moveToFile({ ...back, watcher: watcherUntil() });
      const mark = await server.ask(
        database,
        "SELECT value FROM cluster_meta WHERE name = 'move'",
      );
      const filled = `${back.dataDir}/tollgate.db.moving-${JSON.parse(mark).run}`;
      const { dataDir: path } = back;
      await Deno.rename(`${path}/tollgate.db`, filled);
      await makeHistory(path, { calls: 1 });
      const replacing = { ...back, mayReplace: true };
      await assert.rejects(
        moveToFile({ ...replacing, watcher: watcherUntil(4) }),
        /AbortError|aborted/,
      );
      const again = await moveToFile({ ...replacing, watcher: watcherUntil() });
      assert.equal(countOf(again, "calls"), 2);
      await opens(path, withoutServer);
      // What has left long ago is not brought over what came since, whatever lies there of another move.
      await makeHistory(path, { calls: 3 });
      await Deno.writeTextFile(`${path}/tollgate.db.moving-another`, "");
      const last = await server.ask(
        database,
        "SELECT value FROM cluster_meta WHERE name = 'move'",
      );
      for (const beside of ["-wal", "-shm"]) {
        const name = `${path}/tollgate.db.moving-${JSON.parse(last).run}${beside}`;
        await Deno.writeTextFile(name, "");
      }
      const newer = bytesOf(path);
      for (const dataDir of [path, `${folder}/empty`]) {
        await assert.rejects(
          moveToFile({ ...replacing, dataDir, watcher: watcherUntil() }),
          /all of it was moved to .*back at /,
        );
      }
      assert.deepEqual(bytesOf(path), newer);
    });
  },
);

Deno.test(
  "what is read at one moment is read on where a server ends transactions that stand idle",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 2 });
      const { server: place, database } = await newDatabase(server);
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      await server.ask(
        database,
        `ALTER DATABASE ${database} SET idle_in_transaction_session_timeout = '1ms'`,
      );
      await Deno.mkdir(`${folder}/back`);
      const source = await serverToLeave(place, `${folder}/back`);
      try {
        const calls = await source.atOneMoment(async () => {
          // A process of its own takes longer.
          await server.ask(database, "SELECT 1");
          return (await source.counts()).get("calls");
        });
        assert.equal(calls, 2n);
      } finally {
        await source.close();
      }
    });
  },
);

Deno.test(
  "who has signed out of the console stays out, wherever the database is",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 1 });
      const { server: place, database } = await newDatabase(server);
      const until = now() + 3_600_000;
      addEndedSessions(dataDir, [{ id: "here", until }, { id: "over", until: now() - 1 }]);
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      const ended = () => server.ask(database, "SELECT id, until FROM console_ended ORDER BY id");
      assert.equal(await ended(), `here|${until}`);
      await server.ask(database, `INSERT INTO console_ended VALUES ('there', ${until})`);
      const back = `${folder}/back`;
      await moveToFile({
        ...{ dataDir: back, server: place, now, mayReplace: false },
        watcher: watcherUntil(),
      });
      const known = [...endedSessionsIn(back, now())].sort((a, b) => a.id < b.id ? -1 : 1);
      assert.deepEqual(known, [{ id: "here", until }, { id: "there", until }]);
      // Where nobody can tell who has, all of before have.
      await Deno.writeTextFile(`${back}/ended_sessions.json`, "{");
      await moveToServer({ dataDir: back, server: place, now, watcher: watcherUntil() });
      assert.match(await ended(), /^\*\|\d+\n/);
    });
  },
);

Deno.test(
  "a move that ends behind the last word, at any step, is ended by the same command or has ended",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir) => {
      await makeHistory(dataDir, { calls: 1 });
      const { server: place } = await newDatabase(server);
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      const filled = `${dataDir}/tollgate.db.moving-one`;
      await Deno.writeTextFile(filled, "");
      noteComingBack(dataDir, filled);
      await assert.rejects(opens(dataDir, withoutServer), /was moved to move_\d+ on .* at 20/);
      // Renamed, and ended before the note was removed.
      await Deno.remove(filled);
      await opens(dataDir, withoutServer);
    });
  },
);

Deno.test(
  "prices of the database that goes are kept beside it, and none of them speak for the one that comes",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir) => {
      await makeHistory(dataDir, { calls: 1 });
      const { server: place } = await newDatabase(server);
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      await Deno.writeTextFile(`${dataDir}/prices.json`, "[]");
      const move = { dataDir, server: place, now, mayReplace: true };
      let kept: string | undefined;
      for (let steps = 1; kept === undefined; steps += 8) {
        try {
          ({ kept } = await moveToFile({ ...move, watcher: watcherUntil(steps) }));
        } catch (error) {
          assert.equal((error as Error).name, "AbortError", String(error));
          assert.equal(await Deno.readTextFile(`${dataDir}/prices.json`), "[]");
        }
      }
      await assert.rejects(Deno.stat(`${dataDir}/prices.json`), Deno.errors.NotFound);
      const suffix = /\.before-move-.*$/.exec(kept)![0];
      assert.equal(await Deno.readTextFile(`${dataDir}/prices.json${suffix}`), "[]");
      await opens(dataDir, withoutServer);
    });
  },
);

Deno.test(
  "who moves back is told that prompts in a bucket are not shown, where a project keeps any",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 1 });
      const { server: place, database } = await newDatabase(server);
      const told: string[] = [];
      for (const quotas of ["{}", '{"promptDays":30}']) {
        await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
        await server.ask(database, `UPDATE projects SET quotas = '${quotas}'`);
        await Deno.remove(`${folder}/back`, { recursive: true }).catch(() => {});
        const back = ["--data-dir", `${folder}/back`];
        const { code, stderr } = await runCommand(["move", "--from", place.url, ...back]);
        assert.equal(code, 0, stderr);
        told.push(stderr);
      }
      const note = /Prompts that were kept in a bucket stay there, and are not shown/;
      assert.doesNotMatch(told[0]!, note);
      assert.match(told[1]!, note);
    });
  },
);
