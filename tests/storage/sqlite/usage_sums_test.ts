import assert from "node:assert/strict";
import type { Storage } from "../../../src/storage/ports/storage.ts";
import { createSqliteStorage } from "../../../src/storage/sqlite/sqlite_storage.ts";
import {
  sampleCatalogue,
  sampleClosedCall,
  sampleProject,
} from "../../conformance/storage_samples.ts";
import { withDatabasePath } from "./temporary_database.ts";

const { projectId } = sampleClosedCall();

/** Closes calls that nobody is charged for. */
async function closeCalls(storage: Storage, callIds: readonly number[]): Promise<void> {
  const results = await storage.commitBatch(callIds.map((callId) => ({
    kind: "close",
    call: sampleClosedCall({ callId, heldE8: 0n, chargedE8: 0n, lossE8: 0n, unlimited: true }),
    withHold: true,
  })));
  assert.deepEqual(results.map(({ ok }) => ok), callIds.map(() => true));
}

async function countedCalls(storage: Storage): Promise<number> {
  const totals = await storage.calls.usageTotals({ groupBy: [] });
  return totals[0]?.calls ?? 0;
}

Deno.test("usage sums count each call once, however often the database was closed before they were written", async () => {
  await withDatabasePath(async (path) => {
    const first = createSqliteStorage(path);
    await first.commitBatch([
      { kind: "create_project", project: sampleProject({ id: projectId, unlimited: true }) },
      { kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 },
    ]);
    await closeCalls(first, [1, 2, 3]);
    // Closed as a crash leaves it: the sums are not in their table.
    await first.close();

    const second = createSqliteStorage(path);
    await closeCalls(second, [4]);
    assert.equal(await countedCalls(second), 4);
    await closeCalls(second, [5]);
    await second.close();

    const third = createSqliteStorage(path);
    assert.equal(await countedCalls(third), 5);
    assert.equal(await countedCalls(third), 5);
    await third.checkpoint();
    await third.close();

    const fourth = createSqliteStorage(path);
    assert.equal(await countedCalls(fourth), 5);
    await fourth.close();
  });
});

Deno.test("usage sums leave out what a batch did not write", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await storage.commitBatch([
      { kind: "create_project", project: sampleProject({ id: projectId, unlimited: true }) },
      { kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 },
    ]);
    const call = { heldE8: 0n, chargedE8: 0n, lossE8: 0n, unlimited: true } as const;
    const results = await storage.commitBatch([
      { kind: "close", call: sampleClosedCall({ ...call, callId: 1 }), withHold: true },
      { kind: "close", call: sampleClosedCall({ ...call, callId: 1 }), withHold: true },
      {
        kind: "close",
        call: sampleClosedCall({ ...call, callId: 2, projectId: "nobody" }),
        withHold: true,
      },
    ]);
    assert.deepEqual(results.map(({ ok }) => ok), [true, false, false]);
    assert.equal(await countedCalls(storage), 1);
    await storage.close();
  });
});
