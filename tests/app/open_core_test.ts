import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { VideoTask } from "../../src/domain/video_task.ts";
import { openCore } from "../../src/app/open_core.ts";
import { createSqliteStorage } from "../../src/storage/sqlite/sqlite_storage.ts";
import { twoRoutes } from "../support/chat_bodies.ts";
import { startTestGateway } from "../support/gateway.ts";
import { sampleOpenCall } from "../conformance/storage_samples.ts";
import { createEntry, sampleTask } from "../conformance/storage_video_samples.ts";
import { until } from "../support/until.ts";

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

Deno.test("openCore() tells of trouble beside a video task by its own name, and not as the ledger's", async () => {
  const dataDir = await Deno.makeTempDir();
  const task = await prepare(dataDir);
  const told: string[] = [];
  const core = await openCore({
    dataDir,
    processKind: "server",
    socketPath: undefined,
    catalogueOwner: undefined,
    disk: { reserveBytes: 0, keptBytesPerProject: 0 },
    resolveSecret: (reference) => ({ ok: false, message: `${reference} has no value` }),
    onTrouble: (message) => told.push(`ledger ${message}`),
    onPause: ({ id }) => told.push(`paused ${id}`),
    onKeptFull: () => {},
    onVideoTrouble: (what, error) => told.push(`${what} ${error}`),
    onStorageLost: (error) => told.push(`lost ${error}`),
  });
  try {
    const { commits } = core;
    const commit = commits.commit;
    commits.commit = () => Promise.resolve({ ok: false, reason: "full", message: "no space" });
    const found = await core.videos.findOwn(task.projectId, task.id);
    assert.equal(found?.id, task.id, "it is shown all the same");
    await until("the trouble", () => told.length > 0);
    commits.commit = commit;
    core.book.subscribe(() => {
      throw new Error("a listener's fault");
    });
    await core.videos.findOwn(task.projectId, task.id);
    await until("the other trouble", () => told.length > 1);
    assert.match(told[0]!, /^video_mark_failed .*cannot write its tasks/);
    assert.equal(told[1], "video_listener_failed Error: a listener's fault");
    assert.equal(told.length, 2);
  } finally {
    await core.close();
    await Deno.remove(dataDir, { recursive: true });
  }
});

/** A data dir with an open task. */
async function prepare(dataDir: string): Promise<VideoTask> {
  const before = await startTestGateway({
    dataDir,
    catalogue: twoRoutes("http://127.0.0.1:9", "http://127.0.0.1:9"),
  });
  await before.credit("paying", "1");
  const { version } = before.admin.catalogue.current.route("a/m")!.prices;
  await before.stop();
  const storage = createSqliteStorage(`${dataDir}/tollgate.db`);
  const task = sampleTask({
    callId: 13,
    projectId: "paying",
    route: "a/m",
    provider: "a",
    model: "m",
    notBefore: Number.MAX_SAFE_INTEGER,
  });
  const entry = createEntry(task, { heldE8: 400n, priceVersion: version });
  assert.deepEqual(await storage.commitBatch([entry]), [{ ok: true }]);
  await storage.close();
  return task;
}

Deno.test("openCore() reads for a server's administration apart from what serves its calls", async () => {
  const dataDir = await Deno.makeTempDir();
  const core = await openCore({
    dataDir,
    processKind: "server",
    socketPath: undefined,
    catalogueOwner: undefined,
    disk: { reserveBytes: 0, keptBytesPerProject: 0 },
    onKeptFull: () => {},
    resolveSecret: (reference) => ({ ok: false, message: `${reference} has no value` }),
    onTrouble: (message) => assert.fail(message),
    onPause: () => assert.fail("nobody is paused"),
    onVideoTrouble: (what) => assert.fail(what),
    onStorageLost: (error) => assert.fail(error),
  });
  // The thread that writes and answers callers is gone: this cannot have been it.
  await core.storage.close();
  assert.equal(await core.admin.storage.calls.lastCallId(), 0);
  assert.deepEqual(await core.admin.storage.audit.list({ limit: 1 }), []);
  await assert.rejects(core.storage.calls.lastCallId(), /The storage is closed/);
  await assert.rejects(core.close(), /The storage is closed/);
  await Deno.remove(dataDir, { recursive: true });
});
