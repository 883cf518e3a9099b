import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { twoRoutes } from "../support/chat_bodies.ts";
import { startTestGateway } from "../support/gateway.ts";
import { sampleOpenCall } from "../conformance/storage_samples.ts";
import { createEntry, sampleTask } from "../conformance/storage_video_samples.ts";

Deno.test("openCore() releases what a dead process left open, and starts although a row was altered", async () => {
  const dataDir = await Deno.makeTempDir();
  try {
    const before = await startTestGateway({
      dataDir,
      catalogue: twoRoutes("http://127.0.0.1:9", "http://127.0.0.1:9"),
    });
    await before.credit("paying", "1");
    const { version } = before.admin.catalogue.current.route("a/m")!.prices;
    await before.stop();
    const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
    const call = { projectId: "paying", route: "a/m", provider: "a", model: "m" } as const;
    const results = await storage.commitBatch([11, 12].map((callId) => ({
      kind: "hold",
      call: sampleOpenCall({ ...call, callId, heldE8: 300n, priceVersion: version }),
    })));
    assert.deepEqual(results.map(({ ok }) => ok), [true, true]);
    const task = sampleTask({ ...call, callId: 13, notBefore: Number.MAX_SAFE_INTEGER });
    const entry = createEntry(task, { heldE8: 400n, priceVersion: version });
    assert.deepEqual(await storage.commitBatch([entry]), [{ ok: true }]);
    await storage.close();
    const database = new DatabaseSync(`${dataDir}/tollgate.db`);
    database.exec("UPDATE calls SET held_e8 = 99999999999 WHERE call_id = 12");
    database.close();

    await using after = await startTestGateway({ dataDir });
    const released = await after.admin.storage.calls.find(11);
    assert.equal(released?.state, "released");
    assert.equal(released?.state === "released" && released.lossE8, 300n);
    assert.equal((await after.admin.storage.calls.find(12))?.state, "open");
    // A video task goes on where it was, with what it holds.
    assert.equal((await after.admin.storage.calls.find(13))?.state, "open");
    await after.stop();
    assert.match(after.log(), /"event":"ledger_trouble".*"call_id":12/);
  } finally {
    await Deno.remove(dataDir, { recursive: true });
  }
});
