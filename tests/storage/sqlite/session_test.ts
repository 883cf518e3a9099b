import assert from "node:assert/strict";
import { EARLIER_SESSION } from "../../../src/domain/session.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import { commitEach, fundProject, sampleOpenCall } from "../../conformance/storage_samples.ts";
import {
  changeEntry,
  claimedTask,
  createEntry,
  sampleTask,
} from "../../conformance/storage_video_samples.ts";
import { withDatabasePath, withRawDatabase } from "./temporary_database.ts";

Deno.test("beginSession() writes nothing before there is something to write, and then its number", async () => {
  await withDatabasePath(async (path) => {
    const begin = async (
      run = (_: ReturnType<typeof createSqliteStorage>) => Promise.resolve(),
    ) => {
      const storage = createSqliteStorage(path);
      const session = await storage.beginSession();
      await run(storage);
      await storage.close();
      return session;
    };
    const first = await begin();
    assert.equal(await begin(), first, "nothing was of the first one");
    // The first batch is refused: it has no project.
    const hold = { kind: "hold", call: sampleOpenCall() } as const;
    const second = await begin(async (storage) => {
      assert.equal((await storage.commitBatch([hold]))[0]!.ok, false);
      await fundProject(storage, 1_000n);
      assert.equal((await storage.commitBatch([hold]))[0]!.ok, true);
      assert.deepEqual(await storage.sessions.withOpen(), [first]);
    });
    assert.equal(second, first);
    assert.equal(await begin(), first + 1);
  });
});

Deno.test("a film's lease from before sessions were counted is of the earlier session", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await fundProject(storage, 1_000n);
    const task = claimedTask(sampleTask());
    await commitEach(storage, [createEntry(sampleTask()), changeEntry(task)]);
    assert.deepEqual((await storage.videos.find(task.id))!.lease, task.lease);
    await withRawDatabase(path, (database) => {
      database.exec("UPDATE video_tasks SET lease_boot_id = 'k7q2xa5mzbc4dwfe', revision = 3");
    });
    assert.equal((await storage.videos.find(task.id))!.lease!.session, EARLIER_SESSION);
    await storage.close();
  });
});
