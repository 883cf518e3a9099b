/**
 * Sealed runs are archived from a server: proved before anything depends on the file, dropped only then,
 * and taken up wherever it was broken off.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { archiveCalls, listArchives } from "../../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { examineArchive } from "../../../src/app/archives/examine_archive.ts";
import { archivingOfServer, keepArchiving } from "../../../src/app/archives/keep_archiving.ts";
import { ServerArchives } from "../../../src/app/archives/server_archives.ts";
import { CALL_COLUMNS, callChecksum } from "../../../src/storage/rows/call_row.ts";
import type { ColumnValue } from "../../../src/storage/rows/row_checksum.ts";
import { LOST, SETTLED } from "../../admin/planted_faults.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { syncsOf } from "../../support/syncs.ts";
import { until } from "../../support/until.ts";
import {
  archive,
  archivesOf,
  archiveUndropped,
  callIds as calls,
  changed,
} from "./archived_history.ts";
import { verify } from "./sealed_history.ts";

const server = postgresOfFile();
const withAdmin = archivesOf(server);

Deno.test("runs are archived and dropped, and the rest adds up", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, storage, before } = place;
    const there = await calls(place);
    const balances = await storage.accounts.loadBalances();
    const lost = await storage.calls.find(LOST);
    const dry = await archive(deps, before, { dry_run: true });
    assert.equal(dry.number, null);
    assert.ok(dry.calls >= 5, `${dry.calls} calls`);
    assert.deepEqual(await calls(place), there);
    const done = await archive(deps, before);
    assert.equal(done.number, 1);
    assert.equal(done.calls, dry.calls);
    assert.ok((await calls(place)).length < there.length);
    assert.equal((await Deno.stat(done.file!)).mode! & 0o777, 0o600);
    const proof = await examineArchive(done.file!);
    assert.deepEqual(proof.differences, []);
    assert.deepEqual([proof.sha256, proof.calls], [done.sha256, done.calls]);
    assert.deepEqual(await verify(storage), []);
    assert.deepEqual(await verify(storage, true), []);
    assert.deepEqual(await storage.accounts.loadBalances(), balances);
    const { archives } = await runOperation(listArchives, { deps, input: {} });
    assert.deepEqual(
      archives.map(({ number, is_in_place, sha256 }) => [number, is_in_place, sha256]),
      [
        [1, true, done.sha256],
      ],
    );
    const [known] = await deps.archives.list();
    assert.deepEqual(await deps.archives.findCall(known!, LOST), { kind: "found", call: lost });
    const again = await archive(deps, before);
    assert.deepEqual([again.number, again.calls], [null, 0]);
    const audit = await place.hand.askEach(
      "SELECT count(*) AS n FROM audit WHERE operation = 'calls.archive'",
    );
    assert.equal(audit[0]!.rows[0]!.n, "1");
    const names = [...Deno.readDirSync(done.file!.replace(/\/[^/]*$/, ""))].map(({ name }) => name);
    assert.deepEqual(names, [done.file!.replace(/.*\//, "")]);
  });
});

Deno.test("what was altered is neither archived nor dropped", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, hand, storage, before } = place;
    await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
    const found = await verify(storage);
    const error = await archive(deps, before).then((done) => JSON.stringify(done.stays), String);
    assert.match(error, /ledger_seals 0\/\d+ does not fit its rows/);
    assert.notEqual(await storage.calls.find(SETTLED), undefined);
    assert.deepEqual(await verify(storage), found);
    // The log has which rows; what anybody may read has not.
    const messages: unknown[] = [];
    const onError = (_event: string, fields?: Record<string, unknown>) =>
      void messages.push(fields?.message);
    const kept = keepArchiving(deps, {
      settings: { afterMonths: 1 },
      log: { info() {}, warn() {}, error: onError },
      ofServer: { isOurs: () => Promise.resolve(true) },
    });
    await until("it to tell", () => kept.warnings().length > 0);
    kept.stop();
    assert.match(String(messages[0]), /ledger_seals 0\/\d+ does not fit its rows/);
    assert.deepEqual(kept.warnings(), [
      "calls are not archived: the log says why (archiving_failed)",
    ]);
  });
});

Deno.test(
  "without room for it nothing is begun, nor in anybody's way",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async ({ deps, storage, before }) => {
      const dataDir = await Deno.makeTempDir();
      try {
        const reserve = { freeBytes: () => 1_000 };
        const options = { seals: storage.seals!, clock: deps.clock, reserve };
        const archives = new ServerArchives(dataDir, options);
        await assert.rejects(archive({ ...deps, archives }, before), { code: "storage_full" });
        assert.deepEqual([...Deno.readDirSync(`${dataDir}/archives`)], []);
        await archives.stop();
      } finally {
        await Deno.remove(dataDir, { recursive: true });
      }
      assert.equal((await archive(deps, before)).number, 1);
    });
  },
);

Deno.test("a file that was written and not noted is taken up", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, storage, before } = place;
    const there = await calls(place);
    const commits = {
      ...deps.commits,
      flush: () => deps.commits.flush(),
      commit: () => Promise.resolve({ ok: false, reason: "failed", message: "gone" } as const),
    };
    await assert.rejects(archive({ ...deps, commits }, before), /gone/);
    assert.deepEqual(await calls(place), there);
    assert.deepEqual(await deps.archives.list(), []);
    assert.deepEqual(await verify(storage), []);
    const { value: done, synced } = await syncsOf(() => archive(deps, before));
    assert.equal(done.number, 1);
    assert.deepEqual(synced.slice(-2), [done.file, done.file!.replace(/\/[^/]*$/, "")]);
    assert.deepEqual((await examineArchive(done.file!)).differences, []);
    assert.ok((await calls(place)).length < there.length);
    assert.deepEqual(await verify(storage, true), []);
  });
});

Deno.test("what was noted and not dropped is dropped", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, storage, before } = place;
    const there = await calls(place);
    await archiveUndropped(place);
    assert.deepEqual(await calls(place), there);
    assert.deepEqual(await verify(storage), []);
    const done = await archive(deps, before);
    assert.equal(done.number, 1);
    assert.ok((await calls(place)).length < there.length);
    assert.deepEqual(await verify(storage), []);
  });
});

Deno.test("of two nodes one archives at a time", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, storage, before, hand } = place;
    const there = await calls(place);
    await hand.runEach(
      `INSERT INTO node_sessions (session_id, node, label, state, batch_no, slot)
       VALUES (77, 'other', 'other', 'live', 0, 77)`,
      "INSERT INTO run_archives (number, state, session_id) VALUES (1, 0, 77)",
    );
    await assert.rejects(archive(deps, before), /another node is at it/);
    assert.deepEqual(await calls(place), there);
    // Whoever has died is taken over from.
    await hand.runEach("UPDATE node_sessions SET state = 'dead' WHERE session_id = 77");
    const noting = deps.commits.commit.bind(deps.commits);
    const commit: typeof noting = async (entry) => {
      await hand.runEach("UPDATE run_archives SET session_id = 77");
      return await noting(entry);
    };
    const taken = { commit, flush: () => deps.commits.flush() } as typeof deps.commits;
    await assert.rejects(
      archive({ ...deps, commits: taken }, before),
      /Another node has gone on with archiving meanwhile/,
    );
    assert.deepEqual(await calls(place), there);
    assert.equal((await archive(deps, before)).number, 1);
    assert.deepEqual(await verify(storage), []);
  });
});

Deno.test(
  "a node that has lost its place removes only what it has written",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async ({ deps, storage, before }) => {
      const folder = await Deno.makeTempDir();
      const seals = storage.seals!;
      let others = "";
      const losing = changed(seals.archives, {
        async next() {
          const [own] = [...Deno.readDirSync(folder)];
          others = own!.name.replace(/[a-z2-7]{8}\.part$/, "abcdefgh.part");
          assert.notEqual(others, own!.name);
          await Deno.writeTextFile(`${folder}/${others}`, "of whoever has its place");
          throw new Error("lost");
        },
      });
      const archives = new ServerArchives(deps.system.dataDir!, {
        seals: changed(seals, { archives: losing }),
        clock: deps.clock,
        reserve: { freeBytes: () => Infinity },
      });
      try {
        const input = { before, file: folder };
        await assert.rejects(
          runOperation(archiveCalls, { deps: { ...deps, archives }, input }),
          /: lost$/,
        );
        assert.deepEqual([...Deno.readDirSync(folder)].map(({ name }) => name), [others]);
      } finally {
        await archives.stop();
        await Deno.remove(folder, { recursive: true });
      }
    });
  },
);

Deno.test("whatever is altered of an archive is found", NEEDS_POSTGRES, async () => {
  await withAdmin(async ({ deps, before }) => {
    const { file } = await archive(deps, before);
    const columns: string[][] = [];
    {
      using database = new DatabaseSync(file!);
      for (const table of ["archive", "runs", "ledger", "calls", "price_versions"]) {
        for (const { name } of database.prepare(`PRAGMA table_info(${table})`).all()) {
          columns.push([table, name as string]);
        }
      }
    }
    for (const [table, column] of columns) {
      const copy = `${file}.copy`;
      await Deno.copyFile(file!, copy);
      {
        using database = new DatabaseSync(copy);
        const change = `UPDATE ${table} SET ${column} = CASE typeof(${column})
          WHEN 'integer' THEN ${column} + 1000 WHEN 'null' THEN 1 ELSE ${column} || 'x' END
          WHERE rowid = (SELECT max(rowid) FROM ${table})`;
        database.exec(change);
      }
      const found = await examineArchive(copy).then(
        ({ differences }) => differences.length,
        () => 1,
      );
      assert.ok(found > 0, `${table}.${column}`);
      await Deno.remove(copy);
    }
  });
});

Deno.test(
  "a row that was altered with its checksum is found by the seal",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async ({ deps, before }) => {
      const { file } = await archive(deps, before);
      {
        using database = new DatabaseSync(file!);
        const read = database.prepare(
          `SELECT ${CALL_COLUMNS.join(", ")} FROM calls WHERE call_id = ?`,
        );
        read.setReadBigInts(true);
        const row = { ...read.get(SETTLED)!, request_id: "another" } as Record<string, ColumnValue>;
        const checksum = callChecksum(CALL_COLUMNS.map((column) => row[column]!));
        database.prepare("UPDATE calls SET request_id = ?, checksum = ? WHERE call_id = ?")
          .run("another", checksum, SETTLED);
      }
      const { differences } = await examineArchive(file!);
      assert.ok(differences.length > 0);
      for (const { table } of differences) assert.equal(table, "ledger_seals");
    });
  },
);

Deno.test(
  "one of a server's processes archives what is due, by itself",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async ({ deps, storage }) => {
      const events: string[] = [];
      const log = {
        warn: () => {},
        info: (event: string) => void events.push(event),
        error: (event: string, fields?: object) => void events.push(event + JSON.stringify(fields)),
      };
      let clockAheadMs = 200_000;
      const server = { state: () => ({ answerMs: 1, clockAheadMs }) };
      const keep = (isSealer: boolean) => {
        const seals = { ...storage.seals!, isSealer: () => Promise.resolve(isSealer) };
        const ofServer = archivingOfServer(server, { seals });
        return keepArchiving(deps, { settings: { afterMonths: 1 }, log, ofServer });
      };
      const rests = () => until("it to rest", () => !deps.archives.isUnderWay);
      for (const isSealer of [false, true]) {
        // Not theirs, or at a time that one of two clocks has wrong.
        const idle = keep(isSealer);
        await rests();
        idle.stop();
        clockAheadMs = isSealer ? clockAheadMs : 200_000;
      }
      assert.deepEqual([events, await deps.archives.list()], [[], []]);
      clockAheadMs = 0;
      const kept = keep(true);
      await until("an archive", () => events.length > 0);
      await rests();
      kept.stop();
      assert.deepEqual([events, kept.warnings()], [["calls_archived"], []]);
      assert.deepEqual((await deps.archives.list()).map(({ number }) => number), [1]);
      assert.deepEqual(await verify(storage), []);
    });
  },
);
