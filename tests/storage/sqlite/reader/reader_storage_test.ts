import assert from "node:assert/strict";
import { createReaderStorage } from "../../../../src/storage/sqlite/reader/reader_storage.ts";
import { createWorkerStorage } from "../../../../src/storage/sqlite/worker_client.ts";
import { fundProject, sampleClosedCall } from "../../../conformance/storage_samples.ts";
import { withDatabasePath, withRawDatabase } from "../temporary_database.ts";

const BROKEN = new URL("./broken_reader.ts", import.meta.url);

/** For readers that no sums are written for. */
const writer = { writeSums: () => Promise.resolve() };

Deno.test("createReaderStorage() sees whatever the writer has acknowledged, sums included", async () => {
  await withDatabasePath(async (path) => {
    const storage = await createWorkerStorage(path);
    const reader = createReaderStorage(path, { writer: storage });
    await fundProject(storage, 1_000_000n);
    for (const callId of [1, 2, 3]) {
      const [result] = await storage.commitBatch([{
        kind: "close",
        call: sampleClosedCall({ callId }),
      }]);
      assert.equal(result!.ok, true);
      assert.equal((await reader.calls.find(callId))?.callId, callId);
      const { lines } = await reader.calls.usageReport({ groupBy: [] });
      assert.equal(lines[0]!.calls, callId);
    }
    const since = { hour: 0, day: 0, month: 0 };
    assert.deepEqual(await reader.spending.sums(since), await storage.spending.sums(since));
    const { schemaVersion } = await storage.info();
    assert.equal((await reader.info()).schemaVersion, schemaVersion);
    await reader.close();
    await assert.rejects(reader.calls.find(1), /The storage is closed/);
    await storage.close();
  });
});

Deno.test("createReaderStorage() starts nothing before the first read", async () => {
  await withDatabasePath(async (path) => {
    const reader = createReaderStorage(path, { writer });
    // A thread would leave something to wait for, which the test runner reports.
    await reader.close();
    await reader.close();
  });
});

Deno.test("createReaderStorage() says why it cannot read, and tries anew with the next read", async () => {
  await withDatabasePath(async (path) => {
    const reader = createReaderStorage(path, { writer });
    await assert.rejects(reader.calls.find(1), /unable to open/);
    await (await createWorkerStorage(path)).close();
    assert.equal(await reader.calls.find(1), undefined);
    await reader.close();
  });
});

Deno.test("createReaderStorage() keeps no log from being merged between its reads", async () => {
  await withDatabasePath(async (path) => {
    const storage = await createWorkerStorage(path);
    const reader = createReaderStorage(path, { writer: storage });
    await fundProject(storage, 1_000_000n);
    assert.equal((await reader.accounts.loadBalances()).length, 1);
    await withRawDatabase(path, (database) => database.exec("PRAGMA wal_checkpoint(TRUNCATE)"));
    assert.equal((await Deno.stat(`${path}-wal`)).size, 0);
    await reader.close();
    await storage.close();
  });
});

for (const end of ["throws", "exits", "falls-silent"] as const) {
  Deno.test(`createReaderStorage() replaces a thread that ${end}, and says so to whoever waits`, async () => {
    const folder = await Deno.makeTempDir({ prefix: "tollgate-reader-" });
    const options = { writer, entry: BROKEN, ...(end === "falls-silent" && { answerMs: 1 }) };
    const reader = createReaderStorage(`${folder}/${end}`, options);
    const expected = {
      code: "reading_failed",
      message: end === "falls-silent"
        ? /did not answer within 0.001 seconds and is replaced\. .*ask again/
        : /ended with code .* and is replaced\. .*ask again/,
    };
    await assert.rejects(reader.calls.lastCallId(), expected);
    const second = createReaderStorage(`${folder}/${end}`, { writer, entry: BROKEN });
    await Deno.writeTextFile(`${folder}/${end}-was-broken`, "");
    assert.equal(await second.calls.lastCallId(), 7);
    if (end !== "falls-silent") assert.equal(await reader.calls.lastCallId(), 7);
    await second.close();
    await reader.close();
    await Deno.remove(folder, { recursive: true });
  });
}
