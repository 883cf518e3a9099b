import assert from "node:assert/strict";
import { createWorkerStorage } from "../../../src/storage/sqlite/worker_client.ts";
import type { ClosedCall, OpenCall } from "../../../src/domain/call.ts";
import type { Entry } from "../../../src/storage/ports/entry.ts";
import { keptAnswer } from "../../conformance/storage_responses_suite.ts";
import {
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

function close(callId: number, kept?: Pick<Extract<Entry, { kind: "close" }>, "response">): Entry {
  return { kind: "close", call: sampleClosedCall({ callId }), ...kept };
}

Deno.test("the storage's Worker takes batches and reads in the order in which they were given", async () => {
  await withDatabasePath(async (path) => {
    const storage = await createWorkerStorage(path);
    await fundProject(storage, 1_000_000n);
    const seen: Promise<ClosedCall | OpenCall | undefined>[] = [];
    const written: Promise<unknown>[] = [];
    for (let callId = 1; callId <= 300; callId++) {
      // Some stand in line as messages: the room is taken, or they have a large text.
      const kept = callId % 7 === 0 ? { response: keptAnswer(callId) } : undefined;
      written.push(storage.commitBatch([close(callId, kept)]));
      seen.push(storage.calls.find(callId));
      if (callId % 3 === 0) await written.at(-1);
    }
    const found = (await Promise.all(seen)).map((call) => call?.callId);
    assert.deepEqual(found, found.map((_, index) => index + 1));
    for (const [result] of await Promise.all(written) as { ok: boolean }[][]) {
      assert.ok(result!.ok);
    }
    await storage.close();
  });
});

Deno.test("the storage's Worker writes batches of whatever size, and texts of whatever script", async () => {
  await withDatabasePath(async (path) => {
    const storage = await createWorkerStorage(path);
    await fundProject(storage, 10_000_000n);
    // Of three bytes for each unit: as many units as the room has bytes fill it three times.
    const model = "模".repeat(1_000);
    const sizes = [1, 100, 400, 3_000, 1];
    let callId = 0;
    for (const size of sizes) {
      const batch = Array.from({ length: size }, (): Entry => ({
        kind: "close",
        call: sampleClosedCall({ callId: ++callId, model }),
      }));
      const results = await storage.commitBatch(batch);
      assert.equal(results.length, size);
      assert.ok(results.every(({ ok }) => ok));
    }
    assert.equal(await storage.calls.lastCallId(), callId);
    const call = await storage.calls.find(callId);
    assert.equal(call?.model, model);
    await storage.close();
  });
});

Deno.test("the storage's Worker hears of what is asked while it writes, and after a pause", async () => {
  await withDatabasePath(async (path) => {
    const storage = await createWorkerStorage(path, { commitDelayMs: 50 });
    await fundProject(storage, 1_000n);
    const order: string[] = [];
    const note = (what: string) => () => void order.push(what);
    await Promise.all([
      storage.commitBatch([{ kind: "hold", call: sampleOpenCall() }]).then(note("hold")),
      storage.calls.lastCallId().then(note("read")),
      storage.commitBatch([close(1)]).then(note("close")),
      storage.calls.lastCallId().then(note("read again")),
    ]);
    assert.deepEqual(order, ["hold", "read", "close", "read again"]);
    await storage.close();
  });
});
