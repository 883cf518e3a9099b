/**
 * What archives of a server's sealed runs have is put back into its database, as if it had never been
 * archived.
 *
 * @module
 */

import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { listArchives } from "../../../src/admin/archives/archive_calls.ts";
import { restoreArchives } from "../../../src/admin/archives/restore_archives.ts";
import { runOperation } from "../../../src/admin/base/run_operation.ts";
import { restoreRuns } from "../../../src/app/archives/restore_runs.ts";
import { examineRunArchives } from "../../../src/app/doctor/examine_run_archives.ts";
import { MAINTENANCE } from "../../../src/app/database/maintenance.ts";
import { openMoveSource } from "../../../src/storage/postgres/move_source.ts";
import { SETTLED } from "../../admin/planted_faults.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../../support/postgres_server.ts";
import { archive, archivesOf, type ArchivingPlace, changed } from "./archived_history.ts";
import { haveFilm, verify } from "./sealed_history.ts";

const server = postgresOfFile();
const withAdmin = archivesOf(server);
const NO_PAUSE = () => Promise.resolve();

Deno.test("restored runs are what they were before", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, storage, before } = place;
    await haveFilm(place, SETTLED);
    const there = await everything(place);
    const { file, sha256 } = await archive(deps, before);
    assert.equal((await everything(place)).kept.length, 1);
    assert.notDeepEqual(await everything(place), there);
    const { restored } = await restore(place, 1);
    assert.deepEqual(restored.map(({ number }) => number), [1]);
    assert.ok(restored[0]!.ledger_rows > 3);
    assert.deepEqual(await everything(place), there);
    assert.deepEqual(await verify(storage), []);
    assert.deepEqual(await verify(storage, true), []);
    assert.deepEqual(await deps.archives.list(), []);
    const audit = "SELECT operation FROM audit ORDER BY seq DESC LIMIT 1";
    assert.equal((await rowsOf(place, audit))[0]!.operation, "calls.restore_archives");
    // Nothing is left to be restored, and what was restored may be archived.
    await assert.rejects(restore(place, 1), { error: "not_found" });
    await Deno.remove(file!);
    const again = await archive(deps, before);
    assert.deepEqual([again.number, again.sha256], [1, sha256]);
    assert.deepEqual(await verify(storage), []);
  });
});

Deno.test(
  "a restoring that was broken off goes on, and nobody drops or archives anything meanwhile",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, storage, before, madeAt } = place;
      const seals = storage.seals!;
      const there = await everything(place);
      const { file } = await archive(deps, before);
      const first = (await seals.list(undefined, 1))[0]!;
      const stopped = changed(deps.archives, {
        restore: () => Promise.reject(new Error("killed")),
      });
      const killed = runOperation(restoreArchives, {
        deps: { ...deps, archives: stopped },
        input: { number: 1 },
      });
      await assert.rejects(killed, /^Error: killed$/);
      {
        using opened = MAINTENANCE.archives.openRuns(file!);
        const pause = () => Promise.reject(new Error("killed"));
        const half = restoreRuns({ number: 1 }, { file: opened, seals, pause, onRows() {} });
        await assert.rejects(half, /^Error: killed$/);
      }
      const half = await everything(place);
      assert.notDeepEqual(half, there);
      assert.deepEqual(await verify(storage), []);
      // Of both kinds who drops: by age, and whoever has stood still since he was at the archive.
      assert.equal(await seals.dropped.next(madeAt * 2, undefined), undefined);
      assert.equal(await seals.dropped.drop(first, { atOnce: 9, pause: NO_PAUSE, archive: 1 }), 0);
      assert.equal(await seals.dropped.drop(first, { atOnce: 9, pause: NO_PAUSE }), 0);
      assert.equal(await seals.archives.begin(), undefined);
      assert.deepEqual(await everything(place), half);
      const { archives: [shown] } = await runOperation(listArchives, { deps, input: {} });
      assert.match(shown!.trouble!, /tollgate calls archive restore 1 goes on with it$/);
      const [found] = await examineRunArchives(deps.system, seals.archives);
      assert.equal(found!.status, "warning");
      assert.match(found!.remedy!, /calls archive restore 1/);
      await restore(place, 1);
      assert.deepEqual(await everything(place), there);
      assert.deepEqual(await verify(storage), []);
    });
  },
);

Deno.test(
  "whoever drops rows of a run stops once it is to be restored",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, storage, before, hand } = place;
      const seals = storage.seals!;
      const there = await everything(place);
      await archive(deps, before);
      const [first] = await seals.list(undefined, 1);
      // One process has stood still in the middle of a run, which others went on with.
      await hand.runEach(
        `UPDATE ledger_seals SET dropped = 1 WHERE book = ${first!.book} AND after_seq = 0`,
      );
      let isRestored = false;
      const pause = async () => {
        if (isRestored) return;
        isRestored = true;
        await hand.runEach("UPDATE ledger_seals SET dropped = 2 WHERE archive = 1");
        await restore(place, 1);
      };
      await seals.dropped.drop(first!, { atOnce: 1, pause, archive: 1 });
      assert.equal(isRestored, true);
      assert.deepEqual(await everything(place), there);
      assert.deepEqual(await verify(storage), []);
    });
  },
);

Deno.test(
  "later archives are restored first, and nothing without their files",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, storage, before, hand } = place;
      const there = await everything(place);
      // The last run is kept out of the first archive.
      const late = "(SELECT max(after_seq) FROM ledger_seals WHERE book = 0)";
      const ofLate = `WHERE book = 0 AND after_seq = ${late}`;
      await hand.runEach(`UPDATE ledger_seals SET archive = 99 ${ofLate}`);
      const one = await archive(deps, before);
      await hand.runEach(`UPDATE ledger_seals SET archive = NULL ${ofLate}`);
      const two = await archive(deps, before);
      assert.deepEqual([one.number, two.number], [1, 2]);
      const archived = await everything(place);
      await Deno.rename(one.file!, `${one.file}.away`);
      await assert.rejects(restore(place, 1), {
        error: "conflict",
        message: /^Archive 1 is not restored: its file .* is not on this node/,
      });
      // Nothing was begun of the other one either.
      assert.deepEqual(await everything(place), archived);
      assert.deepEqual((await deps.archives.list()).map(({ isRestoring }) => isRestoring), [
        false,
        false,
      ]);
      await Deno.rename(`${one.file}.away`, one.file!);
      const { restored } = await restore(place, 1);
      assert.deepEqual(restored.map(({ number }) => number), [2, 1]);
      assert.deepEqual(await everything(place), there);
      assert.deepEqual(await verify(storage), []);
    });
  },
);

Deno.test(
  "a file that is damaged, or whose calls are altered here, restores nothing",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, before, hand, storage } = place;
      const { file } = await archive(deps, before);
      const archived = await everything(place);
      const kept = await Deno.readFile(file!);
      {
        using database = new DatabaseSync(file!);
        database.exec(`UPDATE calls SET request_id = 'x' WHERE call_id = ${SETTLED}`);
      }
      await assert.rejects(restore(place, 1), {
        error: "conflict",
        message: /not as it was noted/,
      });
      assert.deepEqual(await everything(place), archived);
      await Deno.writeFile(file!, kept);
      // A row that has stayed was altered meanwhile: the run does not count as restored.
      const [stayed] = await rowsOf(place, "SELECT min(call_id) AS id FROM calls");
      const { id } = stayed!;
      const [named] = await rowsOf(place, `SELECT request_id FROM calls WHERE call_id = ${id}`);
      await hand.runEach(`UPDATE calls SET request_id = 'x' WHERE call_id = ${id}`);
      await assert.rejects(restore(place, 1), {
        error: "conflict",
        message: /^Run \d+\/\d+ of archive 1 is not restored: .*ledger verify/,
      });
      assert.equal((await deps.archives.list())[0]!.isRestoring, true);
      await hand.runEach(
        `UPDATE calls SET request_id = '${named!.request_id}' WHERE call_id = ${id}`,
      );
      await restore(place, 1);
      assert.deepEqual(await verify(storage), []);
    });
  },
);

Deno.test(
  "a check that goes on while runs are restored finds nothing",
  NEEDS_POSTGRES,
  async () => {
    await withAdmin(async (place) => {
      const { deps, storage, before } = place;
      await archive(deps, before);
      let isRestored = false;
      const seals = changed(storage.seals!, {
        async lots(places) {
          if (!isRestored) await restore(place, 1);
          isRestored = true;
          return await storage.seals!.lots(places);
        },
      });
      assert.deepEqual(await verify(changed(storage, { seals })), []);
      assert.equal(isRestored, true);
      assert.deepEqual(await deps.archives.list(), []);
    });
  },
);

Deno.test("a move into a file says what to restore before", NEEDS_POSTGRES, async () => {
  await withAdmin(async (place) => {
    const { deps, before, hand, url } = place;
    await archive(deps, before);
    // As a session of its own it ends whoever else has one.
    const moved = async () => {
      const identity = { node: "mover", label: "a move" };
      const source = await openMoveSource({ url, name: "it", identity, reapMs: 1 });
      await source.close();
    };
    const archived = /were archived there\. .*: tollgate calls archive restore 1$/;
    await assert.rejects(moved(), { name: "StorageOpenError", message: archived });
    await hand.runEach("UPDATE ledger_seals SET archive = -archive, dropped = 1 WHERE archive > 0");
    await assert.rejects(moved(), { message: archived });
    // Of one that was deleted there is no file.
    await hand.runEach("UPDATE ledger_seals SET archive = NULL WHERE after_seq = 0");
    await assert.rejects(moved(), { message: /were deleted there/ });
    await hand.runEach("UPDATE ledger_seals SET archive = NULL, dropped = 0");
    await moved();
  });
});

function restore({ deps }: Pick<ArchivingPlace, "deps">, number: number) {
  return runOperation(restoreArchives, { deps, input: { number } });
}

async function rowsOf({ hand }: Pick<ArchivingPlace, "hand">, sql: string) {
  return (await hand.askEach(sql))[0]!.rows;
}

/** All rows of the ledger and of calls, but for sessions that have ended long ago, and what is known of runs. */
async function everything(place: Pick<ArchivingPlace, "hand">) {
  return {
    ledger: await rowsOf(place, "SELECT * FROM ledger ORDER BY book, seq"),
    calls: (await rowsOf(place, "SELECT * FROM calls ORDER BY call_id"))
      .map(({ session_id: _ended, ...call }) => call),
    kept: await rowsOf(place, "SELECT * FROM kept_calls ORDER BY call_id"),
    runs: await rowsOf(place, "SELECT * FROM ledger_seals ORDER BY book, after_seq"),
  };
}
