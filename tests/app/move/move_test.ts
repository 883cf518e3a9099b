/**
 * Moves to a server from beginning to end: broken off anywhere, repeated, refused.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { openDatabase } from "../../../src/app/database/driver.ts";
import { moveToServer } from "../../../src/app/move/move_to_server.ts";
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
  "a move that ends anywhere leaves the source as it was and the target unused, and the next one goes on",
  NEEDS_POSTGRES,
  async () => {
    await withDataDir(async (dataDir) => {
      await makeHistory(dataDir, { calls: 5, films: 1 });
      const { server: place } = await newDatabase(server);
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
      const { server: place, database } = await newDatabase(server);
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
      const other = await newDatabase(server);
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
      const { server: place } = await newDatabase(server);
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
      const { server: place } = await newDatabase(server);
      await assert.rejects(
        moveToServer({ dataDir, server: place, now, watcher: watcherUntil() }),
        /have 1 difference, such as projects paying: .* It is not used/,
      );
      await assert.rejects(opens(dataDir, { ...withoutServer, server: place }), /is not whole/);
      await opens(dataDir, withoutServer);
    });
  },
);
