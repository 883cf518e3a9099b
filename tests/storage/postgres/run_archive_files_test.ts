/**
 * What is dropped from a server is in the archive's file, which this node has: else nothing is dropped.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { giveUpArchive, listArchives } from "../../../src/admin/archives/archive_calls.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { examineRunArchives } from "../../../src/app/doctor/examine_run_archives.ts";
import { examineArchive } from "../../../src/app/archives/examine_archive.ts";
import { archivingOfServer, keepArchiving } from "../../../src/app/archives/keep_archiving.ts";
import { ServerArchives } from "../../../src/app/archives/server_archives.ts";
import { askOver } from "../../../src/storage/postgres/connection.ts";
import { openPostgresLook } from "../../../src/storage/postgres/look.ts";
import { PostgresSealStore } from "../../../src/storage/postgres/seal_store.ts";
import { SETTLED } from "../../admin/planted_faults.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { until } from "../../support/until.ts";
import {
  archive,
  archivesOf,
  archiveUndropped,
  callIds,
  changed,
  haveAnother,
} from "./archived_history.ts";
import { verify } from "./sealed_history.ts";

const server = postgresOfFile();
const withAdmin = archivesOf(server);
const DROPPED = "SELECT count(*) AS n FROM ledger_seals WHERE dropped > 0";

Deno.test("nothing is dropped on a node that has not got the file", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, storage, hand, before, url } = place;
    const there = await callIds(place);
    await archiveUndropped(place);
    await haveAnother(place, "dead");
    const [known] = await deps.archives.list();
    const { file } = known!;
    const dataDir = await Deno.makeTempDir();
    const { clock } = deps;
    const reserve = { freeBytes: () => Infinity };
    const others = new ServerArchives(dataDir, { seals: storage.seals!, clock, reserve });
    const kept = await Deno.readFile(file);
    const assertStays = async () => {
      await assert.rejects(others.finishDropping(), {
        name: "GatewayError",
        error: "conflict",
        message: /archive 1 .*is not on this node.*; the node on a1 had it last\. .*--give-up 1$/,
      });
      await assert.rejects(archive({ ...deps, archives: others }, before), /is not on this node/);
      assert.deepEqual(await callIds(place), there);
      assert.equal((await hand.askEach(DROPPED))[0]!.rows[0]!.n, "0");
    };
    try {
      await Deno.remove(file);
      await assertStays();
      // It goes to whoever has the file, as long as nobody has dropped anything.
      const { archives: [shown] } = await runOperation(listArchives, { deps, input: {} });
      assert.deepEqual([shown!.is_in_place, shown!.is_dropped], [false, false]);
      assert.equal(shown!.node, "the node on a1");
      assert.match(shown!.trouble!, /^What archive 1 has stays in the database: .*Start the node/);
      const look = await openPostgresLook({ url });
      try {
        const [found] = await examineRunArchives({ dataDir }, look.runArchives!);
        assert.deepEqual([found!.check, found!.status], ["archives", "warning"]);
        assert.match(found!.detail, /its file .* is not on this node/);
        assert.match(found!.remedy!, /--give-up 1/);
      } finally {
        await look.close();
      }
      // Another archive of the same name, which this node has made and nobody has noted.
      await Deno.writeFile(file, kept);
      change(file, "UPDATE archive SET sha256 = 'a' || substr(sha256, 2)");
      await assertStays();
      const { archives: [other] } = await runOperation(listArchives, { deps, input: {} });
      assert.equal(other!.is_in_place, false);
      assert.deepEqual(await others.findCall(known!, known!.firstCallId), { kind: "unreadable" });
      // The noted one, damaged on its way.
      await Deno.writeFile(file, kept);
      change(file, `UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
      await assertStays();
      await Deno.writeFile(file, kept);
      assert.equal((await others.finishDropping())!.number, 1);
      assert.ok((await callIds(place)).length < there.length);
      assert.deepEqual(await verify(storage), []);
      const { archives: [done] } = await runOperation(listArchives, { deps, input: {} });
      assert.deepEqual([done!.is_in_place, done!.is_dropped, done!.trouble], [true, true, null]);
    } finally {
      await others.stop();
      await Deno.remove(dataDir, { recursive: true });
    }
  });
});

Deno.test(
  "whoever keeps archiving says whose file is missing, and goes on with it",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps } = place;
      await archiveUndropped(place);
      await haveAnother(place, "dead");
      const { file } = (await deps.archives.list())[0]!;
      await Deno.rename(file, `${file}.away`);
      const lines: string[] = [];
      const messages: string[] = [];
      const note = (event: string, fields?: Record<string, unknown>) => {
        lines.push(event);
        messages.push(String(fields?.message));
      };
      const log = { info: note, warn: note, error: note };
      const kept = keepArchiving(deps, { settings: {}, log, lookMs: 10 });
      await until("it tells of it", () => kept.warnings().length > 0);
      // Anybody may ask for the warnings: neither a path nor a node is named.
      assert.deepEqual(kept.warnings(), [
        "calls are not archived: archive 1 waits for its file: `tollgate doctor` says which",
      ]);
      assert.match(messages[0]!, /the node on a1 had it last/);
      assert.ok(messages[0]!.includes(file));
      await Deno.rename(`${file}.away`, file);
      await until("it goes on", () => kept.warnings().length === 0);
      kept.stop();
      // Once, however often it has looked.
      assert.deepEqual(lines, ["archive_file_away"]);
      assert.equal((await deps.archives.list())[0]!.isDropped, true);
    });
  },
);

Deno.test(
  "an archive whose file is lost is given up until something of it is dropped",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, hand, storage, before } = place;
      const there = await callIds(place);
      const giveUp = () => runOperation(giveUpArchive, { deps, input: { number: 1 } });
      await assert.rejects(giveUp(), { error: "not_found" });
      await archiveUndropped(place);
      await assert.rejects(giveUp(), { error: "conflict", message: /its file is here/ });
      const { file } = (await deps.archives.list())[0]!;
      await Deno.rename(file, `${file}.away`);
      await haveAnother(place, "live");
      await assert.rejects(giveUp(), { error: "conflict", message: /another node's/ });
      await haveAnother(place, "dead");
      await hand.runEach("UPDATE ledger_seals SET dropped = 1 WHERE archive = 1 AND after_seq = 0");
      await assert.rejects(giveUp(), {
        error: "conflict",
        message: /A part of archive 1 is dropped.*--give-up 1 --accept-loss$/,
      });
      assert.match(
        (await runOperation(listArchives, { deps, input: {} })).archives[0]!.trouble!,
        /nowhere but in its file.*--give-up 1 --accept-loss$/,
      );
      assert.equal((await deps.archives.list())[0]!.isBegun, true);
      await hand.runEach("UPDATE ledger_seals SET dropped = 0");
      // Whoever has stood still since he was to drop a run of it drops nothing any more.
      const run = await storage.seals!.archives.nextToDrop(1, undefined);
      const given = await giveUp();
      assert.deepEqual([given.number, given.is_dropped, given.trouble], [1, false, null]);
      const pause = () => Promise.resolve();
      assert.equal(await storage.seals!.dropped.drop(run!, { atOnce: 10, pause, archive: 1 }), 0);
      assert.deepEqual(await callIds(place), there);
      assert.deepEqual(await deps.archives.list(), []);
      assert.deepEqual(await verify(storage), []);
      const [noted] = await hand.askEach(
        "SELECT operation FROM audit ORDER BY seq DESC LIMIT 1",
      );
      assert.equal(noted!.rows[0]!.operation, "calls.give_up_archive");
      assert.equal((await archive(deps, before)).number, 1);
      assert.ok((await callIds(place)).length < there.length);
      assert.deepEqual(await verify(storage), []);
      await assert.rejects(giveUp(), { error: "conflict" });
    });
  },
);

Deno.test(
  "an archive that was dropped in part is done without its file once that loss is accepted",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, hand, storage, before } = place;
      await archiveUndropped(place);
      const { archives, dropped } = storage.seals!;
      // One run is dropped, and the next one in part.
      const first = (await archives.nextToDrop(1, undefined))!;
      await dropped.drop(first, { atOnce: 10, pause: () => Promise.resolve(), archive: 1 });
      const next = (await archives.nextToDrop(1, undefined))!;
      const killed = () => Promise.reject(new Error("killed"));
      await assert.rejects(
        dropped.drop(next, { atOnce: 3, pause: killed, archive: 1 }),
        /^Error: killed$/,
      );
      const states = async () =>
        (await hand.askEach(
          `SELECT dropped || ' ' || coalesce(archive::text, '-') AS state FROM ledger_seals
           WHERE archive IS NOT NULL OR dropped > 0 ORDER BY book, after_seq`,
        ))[0]!.rows.map(({ state }) => state);
      const left = await callIds(place);
      const before1 = await states();
      assert.deepEqual(before1.slice(0, 3), ["2 1", "1 1", "0 1"]);
      const [known] = await deps.archives.list();
      await Deno.rename(known!.file, `${known!.file}.away`);
      const given = await runOperation(giveUpArchive, {
        deps,
        input: { number: 1, accept_loss: true },
      });
      assert.deepEqual([given.number, given.is_dropped, given.trouble], [1, true, null]);
      assert.deepEqual(await states(), ["2 1", "2 1"]);
      assert.deepEqual(await callIds(place), left);
      assert.deepEqual(await verify(storage), []);
      const [noted] = await hand.askEach(`SELECT "before" FROM audit ORDER BY seq DESC LIMIT 1`);
      assert.match(String(noted!.rows[0]!.before), /"is_begun":true/);
      const shown = await runOperation(listArchives, { deps, input: {} });
      assert.deepEqual(
        shown.archives.map(({ is_dropped, is_in_place, trouble }) => [
          is_dropped,
          is_in_place,
          trouble,
        ]),
        [[true, false, null]],
      );
      // The rest goes to another one, which follows on it, and what was half dropped stays.
      const { number, file } = await archive(deps, before);
      assert.equal(number, 2);
      assert.deepEqual((await states()).slice(0, 2), ["2 1", "2 1"]);
      assert.deepEqual([...new Set((await states()).slice(2))], ["2 2"]);
      assert.deepEqual(await verify(storage), []);
      assert.deepEqual((await examineArchive(file!)).differences, []);
      const there = await callIds(place);
      const [stayed] = await hand.askEach(
        `SELECT call_id FROM ledger WHERE book = ${next.book} AND seq > ${next.afterSeq}
           AND seq <= ${next.throughSeq} AND kind IN ('settle', 'release')`,
      );
      assert.ok(stayed!.rows.length > 1);
      for (const { call_id } of stayed!.rows) assert.ok(there.includes(Number(call_id)));
    });
  },
);

Deno.test(
  "only whoever is at dropping an archive ends that, with no run half dropped",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { hand, storage } = place;
      await archiveUndropped(place);
      await haveAnother(place, "live");
      const { archives } = storage.seals!;
      const others = new PostgresSealStore(askOver(hand), () => 77).archives;
      await archives.finish(1);
      assert.equal((await others.unfinished())?.number, 1);
      assert.equal(await archives.unfinished(), undefined);
      await hand.runEach("UPDATE ledger_seals SET dropped = 1 WHERE archive = 1 AND after_seq = 0");
      await others.finish(1);
      assert.equal((await others.unfinished())?.isBegun, true);
      await hand.runEach("UPDATE ledger_seals SET dropped = 2 WHERE archive = 1 AND after_seq = 0");
      await others.finish(1);
      assert.equal(await others.unfinished(), undefined);
    });
  },
);

Deno.test(
  "what was sealed late goes to another file of the same month",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, hand, storage } = place;
      const folder = await Deno.makeTempDir();
      const left = `${folder}/tollgate-calls-7-to-2025-01.db.abcdefgh.part`;
      const foreign = [
        `${folder}/tollgate-calls-to-2025-01.db.abcdefgh.part`,
        `${folder}/mine.part`,
      ];
      for (const path of [left, `${left}-journal`, ...foreign]) await Deno.writeTextFile(path, "x");
      const errors: string[] = [];
      const events: string[] = [];
      const log = {
        info: (event: string) => void events.push(event),
        warn: (event: string) => void events.push(event),
        error: (event: string, fields?: object) => void errors.push(event + JSON.stringify(fields)),
      };
      let outlooks = 0;
      const seals = storage.seals!;
      const counted = changed(seals.archives, {
        outlook(beforeMs) {
          outlooks++;
          return seals.archives.outlook(beforeMs);
        },
      });
      const archives = new ServerArchives(folder, {
        seals: changed(seals, { archives: counted }),
        clock: deps.clock,
        reserve: { freeBytes: () => Infinity },
      });
      const server = { state: () => ({ answerMs: 1, clockAheadMs: 0 }) };
      const ofServer = archivingOfServer(server, {
        seals: changed(seals, { isSealer: () => Promise.resolve(true) }),
      });
      const look = async (settings: { readonly folder?: string }) => {
        const kept = keepArchiving({ ...deps, archives }, {
          settings: { afterMonths: 1, ...settings },
          ...{ log, ofServer },
        });
        await until("it rests", () => !archives.isUnderWay);
        kept.stop();
        assert.deepEqual([kept.warnings(), errors], [[], []]);
      };
      try {
        const late = "(SELECT max(after_seq) FROM ledger_seals WHERE book = 0)";
        await hand.runEach(
          `UPDATE ledger_seals SET archive = 99 WHERE book = 0 AND after_seq = ${late}`,
        );
        await look({ folder });
        assert.equal(outlooks, 1);
        await hand.runEach("UPDATE ledger_seals SET archive = NULL WHERE archive = 99");
        await look({ folder });
        assert.deepEqual(events, [
          "calls_archived",
          "archive_on_one_node",
          "calls_archived",
          "archive_on_one_node",
        ]);
        const files = (await archives.list()).map(({ file }) => file.replace(`${folder}/`, ""));
        assert.equal(files.length, 2);
        for (const [index, file] of files.entries()) {
          assert.match(file, new RegExp(`^tollgate-calls-${index + 1}-to-\\d{4}-\\d{2}\\.db$`));
        }
        const names = [...Deno.readDirSync(folder)].map(({ name }) => `${folder}/${name}`).sort();
        // What another archive's writer has left is gone, and nothing else.
        assert.deepEqual(names, [...files.map((file) => `${folder}/${file}`), ...foreign].sort());
        assert.deepEqual(await verify(storage), []);
      } finally {
        await archives.stop();
        await Deno.remove(folder, { recursive: true });
      }
    });
  },
);

Deno.test(
  "an archive's writer that has died leaves nothing in a node's own folder",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps } = place;
      const own = `${deps.system.dataDir}/archives`;
      await Deno.mkdir(own);
      await Deno.writeTextFile(`${own}/tollgate-calls-1-to-2025-01.db.abcdefgh.part`, "x");
      await Deno.writeTextFile(`${own}/tollgate-calls-1-to-2025-01.db`, "whole");
      await deps.archives.finishDropping(deps.storage.checkpoints);
      const names = [...Deno.readDirSync(own)].map(({ name }) => name);
      assert.deepEqual(names, ["tollgate-calls-1-to-2025-01.db"]);
    });
  },
);

Deno.test(
  "an archive from before a column came is read, and what is none is told of",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, before } = place;
      const { file } = await archive(deps, before);
      const [known] = await deps.archives.list();
      const found = await deps.archives.findCall(known!, SETTLED);
      assert.equal(found.kind, "found");
      const proof = await examineArchive(file!);
      change(file!, "ALTER TABLE calls DROP COLUMN further");
      assert.deepEqual(await deps.archives.findCall(known!, SETTLED), found);
      assert.deepEqual(await examineArchive(file!), proof);
      // One that its rows had something in is missed, and each row is still of its book.
      change(file!, "ALTER TABLE ledger DROP COLUMN reference");
      assert.deepEqual(await deps.archives.findCall(known!, SETTLED), found);
      assert.ok((await examineArchive(file!)).differences.length > 0);
      // It says of itself that it is one, and has other columns.
      change(file!, "ALTER TABLE archive RENAME COLUMN sha256 TO other");
      const unread = await deps.archives.findCall(known!, SETTLED);
      assert.equal(unread.kind, "unreadable");
      assert.equal(await deps.archives.isInPlace(known!), false);
      await assert.rejects(examineArchive(file!), { name: "StorageOpenError" });
    });
  },
);

function change(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}
