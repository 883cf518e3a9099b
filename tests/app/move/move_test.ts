/**
 * Moves from beginning to end: broken off anywhere, repeated, refused, and back.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../src/app/database/driver.ts";
import { serverToLeave } from "../../../src/app/database/moving.ts";
import {
  addEndedSessions,
  endedSessionsIn,
} from "../../../src/app/sessions/keep_ended_sessions.ts";
import { moveToFile } from "../../../src/app/move/move_to_file.ts";
import { moveToServer } from "../../../src/app/move/move_to_server.ts";
import { makeHistory, withDataDir } from "../../support/data_dir_history.ts";
import {
  NEEDS_POSTGRES,
  type PostgresServer,
  startPostgres,
} from "../../support/postgres_server.ts";

let server: PostgresServer;
let databases = 0;

Deno.test.beforeAll(async () => {
  if (!NEEDS_POSTGRES.ignore) server = await startPostgres();
});

Deno.test.afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

async function newServer() {
  const database = `move_${++databases}`;
  await server.create(database);
  return {
    database,
    server: { url: server.url(database), caFile: undefined, staleKeysMs: undefined },
  };
}

/** Ends a move at its n-th step. */
function watcherUntil(steps = Infinity) {
  const abort = new AbortController();
  let seen = 0;
  return {
    signal: abort.signal,
    onProgress() {
      if (++seen >= steps) abort.abort();
    },
  };
}

const now = Date.now;
const withoutServer = { isServed: false, onLost() {}, server: undefined };

async function opens(dataDir: string, options: Parameters<typeof openDatabase>[1]): Promise<void> {
  const { storage } = await openDatabase(dataDir, options);
  await storage.close();
}

function countOf(report: Awaited<ReturnType<typeof moveToServer>>, table: string): number {
  const found = report.tables.find((one) => one.table === table)!;
  assert.equal(found.from, found.to);
  return found.to;
}

/** Every byte of the database, whatever its log has. */
function bytesOf(dataDir: string): Uint8Array {
  return Deno.readFileSync(`${dataDir}/tollgate.db`);
}

Deno.test(
  "a move that ends anywhere leaves the source as it was and the target unused, and the next one goes on",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir) => {
      await makeHistory(dataDir, { calls: 5, films: 1 });
      const { server: place } = await newServer();
      const before = bytesOf(dataDir);
      const options = { dataDir, server: place, now };
      let steps = 1;
      let earlier: string | undefined;
      for (;; steps += 4) {
        try {
          const report = await moveToServer({ ...options, watcher: watcherUntil(steps) });
          earlier = report.earlier;
          assert.equal(countOf(report, "calls"), 6);
          assert.equal(countOf(report, "projects"), 2);
          assert.deepEqual(report.books?.differences, []);
          assert.equal(report.balances.from, report.balances.to);
          break;
        } catch (error) {
          assert.equal((error as Error).name, "AbortError", String(error));
        }
        assert.deepEqual(bytesOf(dataDir), before);
        await assert.rejects(
          opens(dataDir, { ...withoutServer, server: place }),
          /what is moved there from .*tollgate\.db, since .*, is not whole\. Run `tollgate move --to` again/,
        );
        await opens(dataDir, withoutServer);
      }
      assert.ok(steps > 20, String(steps));
      assert.match(earlier!, /^it goes on from the move of 20/);
      await opens(dataDir, { ...withoutServer, server: place });
      await assert.rejects(
        opens(dataDir, withoutServer),
        /was moved to move_\d+ on 127\.0\.0\.1:\d+ at .*: start with that as database_url/,
      );
    });
  },
);

Deno.test(
  "until it is served from, a move is repeated and brings what is new; then nothing is moved over it",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir) => {
      await makeHistory(dataDir, { calls: 3 });
      const { server: place, database } = await newServer();
      const move = () => moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      assert.equal(countOf(await move(), "calls"), 3);
      await Deno.remove(`${dataDir}/database_moved`);
      await makeHistory(dataDir, { calls: 2 });
      const again = await move();
      assert.match(again.earlier!, /goes on/);
      assert.equal(countOf(again, "calls"), 5);
      // Rows that are there already are not written again.
      assert.equal(
        await server.ask(database, "SELECT count(DISTINCT xmin::text) > 1 FROM ledger"),
        "t",
      );

      const { storage } = await openDatabase(dataDir, { ...withoutServer, server: place });
      await storage.close();
      await assert.rejects(
        move(),
        /has been served from since the move of .*: what it has would be lost/,
      );
      const other = await newServer();
      await openDatabase(dataDir, { ...withoutServer, server: other.server }).then(({ storage }) =>
        storage.close()
      );
      await assert.rejects(
        moveToServer({ dataDir, server: other.server, now, watcher: watcherUntil() }),
        /has been served from: what it has would be lost\. Make an empty database/,
      );
    });
  },
);

Deno.test(
  "a move of a source that is another one begins anew, and says so",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 3 });
      await makeHistory(`${folder}/other`, { calls: 4 });
      const { server: place } = await newServer();
      const move = (from: string) =>
        moveToServer({ dataDir: from, server: place, now, watcher: watcherUntil() });
      await move(dataDir);
      const other = await move(`${folder}/other`);
      assert.match(
        other.earlier!,
        /it begins anew: the earlier move, of .*, has rows that are not in/,
      );
      assert.equal(countOf(other, "calls"), 4);
    });
  },
);

Deno.test(
  "books that do not add up are not moved: the target stays unused",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir) => {
      await makeHistory(dataDir, { calls: 3 });
      const database = new DatabaseSync(`${dataDir}/tollgate.db`);
      database.exec("UPDATE projects SET avail_e8 = avail_e8 + 1 WHERE id = 'paying'");
      database.close();
      const { server: place } = await newServer();
      await assert.rejects(
        moveToServer({ dataDir, server: place, now, watcher: watcherUntil() }),
        /have 1 difference, such as projects paying: .* It is not used/,
      );
      await assert.rejects(opens(dataDir, { ...withoutServer, server: place }), /is not whole/);
      await opens(dataDir, withoutServer);
    });
  },
);

Deno.test(
  "what is on a server goes back into a data dir, broken off anywhere",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir, folder) => {
      await makeHistory(dataDir, { calls: 4, films: 1 });
      const { server: place } = await newServer();
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
      const { server: place, database } = await newServer();
      await moveToServer({ dataDir, server: place, now, watcher: watcherUntil() });
      const back = { dataDir: `${folder}/back`, server: place, now, mayReplace: false };
      for (const name of ["other", "back"]) await Deno.mkdir(`${folder}/${name}`);
      const other = await openDatabase(`${folder}/other`, { ...withoutServer, server: place });
      await other.storage.beginSession();
      await assert.rejects(
        moveToFile({ ...back, watcher: watcherUntil() }),
        /The database is in use by a command with process id \d+.*: run commands there, or stop that first/,
      );
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
      const { server: place, database } = await newServer();
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
      const { server: place, database } = await newServer();
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
