import assert from "node:assert/strict";
import { Worker } from "node:worker_threads";
import type { Entry, EntryResult } from "../../../src/storage/ports/entry.ts";
import { GatheringQueue } from "../../../src/storage/commit_queue.ts";
import { createWorkerStorage } from "../../../src/storage/sqlite/worker_client.ts";
import { DirectLine } from "../../../src/storage/sqlite/direct_line.ts";
import type { WorkerReply, WorkerStart } from "../../../src/storage/sqlite/worker_protocol.ts";
import { fundProject, sampleClosedCall, sampleProject } from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

const CRASHING = new URL("./crashing_worker.ts", import.meta.url);

Deno.test("createWorkerStorage() answers in order and refuses what is asked after close()", async () => {
  await withDatabasePath(async (path) => {
    const storage = await createWorkerStorage(path);
    await fundProject(storage, 1_000n);
    const answers: string[] = [];
    const written = storage.commitBatch([{ kind: "close", call: sampleClosedCall() }]);
    await Promise.all([
      written.then(([result]) => answers.push(`written ${result!.ok}`)),
      storage.calls.lastCallId().then((id) => answers.push(`last call ${id}`)),
      storage.close().then(() => answers.push("closed")),
      storage.calls.lastCallId().catch((error: Error) => answers.push(error.message)),
    ]);
    assert.deepEqual(answers.slice(1).at(-1), "closed");
    assert.deepEqual([...answers].sort(), [
      "The storage is closed",
      "closed",
      "last call 1",
      "written true",
    ]);
    const again = await createWorkerStorage(path);
    assert.equal(await again.calls.lastCallId(), 1);
    await again.close();
  });
});

Deno.test("createWorkerStorage() hands the Worker's refusals and errors over", async () => {
  await withDatabasePath(async (path) => {
    await Deno.writeTextFile(path, "junk");
    let crashes = 0;
    await assert.rejects(createWorkerStorage(path, { onCrash: () => crashes++ }), {
      name: "StorageOpenError",
      message: /not an SQLite database/,
    });
    await Deno.remove(path);
    const storage = await createWorkerStorage(path, { onCrash: () => crashes++ });
    const odd = { kind: "create_project", project: { ...sampleProject(), models: undefined } };
    const [result] = await storage.commitBatch([odd as unknown as Entry]);
    assert.equal(result!.ok, false);
    const uncloneable = { kind: "delete_key", keyId: () => 1 } as unknown as Entry;
    await assert.rejects(storage.commitBatch([uncloneable]), /clone/);
    assert.equal(await storage.calls.lastCallId(), 0);
    await storage.close();
    assert.equal(crashes, 0);
  });
});

Deno.test("the storage's Worker stays when it cannot open its database, and refuses everything", async () => {
  await withDatabasePath(async (path) => {
    await Deno.writeTextFile(path, "junk");
    const entry = new URL("../../../src/storage/sqlite/worker.ts", import.meta.url);
    const line = new DirectLine();
    const start: WorkerStart = { path, commitDelayMs: 0, line: line.start };
    const worker = new Worker(entry, { workerData: start, transferList: [line.start.messages] });
    const replies: WorkerReply[] = [];
    const { promise: over, resolve } = Promise.withResolvers<void>();
    worker.on("exit", () => resolve());
    worker.on("message", (reply: WorkerReply) => {
      replies.push(reply);
      if (reply.id === 0) return line.give({ id: 1, name: "info", args: [] });
      line.end();
      worker.terminate();
    });
    await over;
    assert.deepEqual(replies.map(({ id }) => id), [0, 1]);
    for (const reply of replies) {
      assert.ok("error" in reply && reply.error.name === "StorageOpenError");
    }
  });
});

for (const end of ["throws", "exits"] as const) {
  Deno.test(`createWorkerStorage() rejects everything when its Worker ${end}`, async () => {
    const crashes: Error[] = [];
    const storage = await createWorkerStorage("/nowhere/tollgate.db", {
      entry: CRASHING,
      onCrash: (error) => crashes.push(error),
    });
    const queue = new GatheringQueue({ write: (batch) => storage.commitBatch(batch) });
    const commit = queue.commit({ kind: "delete_key", keyId: "k" });
    const find = storage.calls.find(1);
    const last = end === "throws" ? storage.calls.lastCallId() : storage.info();
    const expected = /The storage's Worker ended .*restart tollgate/;
    await Promise.all([assert.rejects(find, expected), assert.rejects(last, expected)]);
    const result = await commit as Extract<EntryResult, { ok: false }>;
    assert.equal(result.reason, "unavailable");
    assert.match(result.message, expected);
    assert.equal(crashes.length, 1);
    assert.match(crashes[0]!.message, expected);
    await assert.rejects(storage.accounts.loadKeys(), expected);
    await assert.rejects(storage.close(), expected);
    assert.deepEqual((await queue.commit({ kind: "delete_key", keyId: "k" })).ok, false);
  });
}
