import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { MAX_AMOUNT_E8 } from "../../../src/domain/money.ts";
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
  })));
  assert.deepEqual(results.map(({ ok }) => ok), callIds.map(() => true));
}

async function countedCalls(storage: Storage): Promise<number> {
  const totals = (await storage.calls.usageReport({ groupBy: [] })).lines;
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
    await third.writeSums();
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
      { kind: "close", call: sampleClosedCall({ ...call, callId: 1 }) },
      { kind: "close", call: sampleClosedCall({ ...call, callId: 1 }) },
      {
        kind: "close",
        call: sampleClosedCall({ ...call, callId: 2, projectId: "nobody" }),
      },
    ]);
    assert.deepEqual(results.map(({ ok }) => ok), [true, false, false]);
    assert.equal(await countedCalls(storage), 1);
    await storage.close();
  });
});

Deno.test("usage sums that no column holds keep no call from being written, nor a start", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await storage.commitBatch([
      { kind: "create_project", project: sampleProject({ id: projectId, unlimited: true }) },
      { kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 },
    ]);
    const HOUR_MS = 3_600_000;
    const huge = {
      heldE8: 0n,
      chargedE8: 0n,
      lossE8: 0n,
      unlimited: true,
      costE8: MAX_AMOUNT_E8,
      saleE8: MAX_AMOUNT_E8,
    } as const;
    let callId = 0;
    const close = async (calls: number, closedAt: number) => {
      const results = await storage.commitBatch(Array.from({ length: calls }, () => ({
        kind: "close",
        call: sampleClosedCall({ ...huge, callId: ++callId, closedAt }),
      })));
      assert.deepEqual(results.filter(({ ok }) => !ok), []);
      await storage.writeSums();
    };
    const MOST = 2n ** 63n - 1n;
    const total = async () => (await storage.calls.usageReport({ groupBy: [] })).lines[0]!;
    const spent = async () => (await storage.spending.sums({ hour: 0, day: 0, month: 0 }))[0]!;
    await close(5, HOUR_MS);
    await close(4, HOUR_MS);
    assert.equal((await total()).saleE8, 9n * MAX_AMOUNT_E8);
    await close(1, HOUR_MS);
    assert.equal((await total()).saleE8, MOST);
    // More than a column holds, at once.
    await close(12, 2 * HOUR_MS);
    await close(3, 3 * HOUR_MS);
    const all = 2n * MOST + 3n * MAX_AMOUNT_E8;
    assert.equal((await total()).costE8, all);
    assert.equal((await total()).calls, 25);
    assert.equal((await spent()).monthE8, all);
    const { keyId } = sampleClosedCall();
    const query = { ids: [keyId], fromHour: 0, toHour: 3 };
    const history = await storage.spending.history({ scope: "key", ...query });
    assert.deepEqual(history.map(({ spentE8 }) => spentE8), [MOST, MOST]);
    const state = {
      scope: "key",
      id: keyId,
      pause: { at: 1, spentE8: all, usualE8: MOST, mostE8: 0n },
      forgiven: { day: { period: 0, amountE8: all } },
    } as const;
    await storage.commitBatch([{ kind: "put_spend_state", state }]);
    assert.deepEqual(await storage.spending.states(), [state]);
    await storage.close();
    const again = createSqliteStorage(path);
    assert.equal((await again.spending.sums({ hour: 0, day: 0, month: 0 }))[0]!.dayE8, all);
    await again.close();
  });
});

Deno.test("usage sums that cannot be written refuse no call, and are written once they can be", async () => {
  await withDatabasePath(async (path) => {
    const storage = createSqliteStorage(path);
    await storage.commitBatch([
      { kind: "create_project", project: sampleProject({ id: projectId, unlimited: true }) },
      { kind: "write_catalogue", catalogue: sampleCatalogue(), at: 0 },
    ]);
    await closeCalls(storage, [1]);
    const other = new DatabaseSync(path);
    other.exec(
      `CREATE TRIGGER broken BEFORE INSERT ON usage_hourly BEGIN SELECT RAISE(ABORT, 'broken'); END`,
    );
    // As many sums as are written without further wait.
    const calls = Array.from({ length: 2_001 }, (_, index) => index + 2);
    const results = await storage.commitBatch(calls.map((callId) => ({
      kind: "close",
      call: sampleClosedCall({
        callId,
        heldE8: 0n,
        chargedE8: 0n,
        lossE8: 0n,
        unlimited: true,
        closedAt: callId * 3_600_000,
      }),
    })));
    assert.deepEqual(results.filter(({ ok }) => !ok), []);
    await closeCalls(storage, [3_000]);
    await assert.rejects(countedCalls(storage), /broken/);
    other.exec("DROP TRIGGER broken");
    other.close();
    assert.equal(await countedCalls(storage), 2_003);
    await storage.close();
  });
});
