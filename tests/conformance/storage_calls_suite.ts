/**
 * The storage suite's part about holds, reading calls and adding usage up.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  sampleProject,
  words,
} from "./storage_samples.ts";

/** Registers the tests about holds, reading calls and adding usage up. */
export function testCalls(test: StorageTest): void {
  test("hold moves available to held and refuses what does not fit", async (storage) => {
    await fundProject(storage, 150n);
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "hold", call: sampleOpenCall() },
          { kind: "hold", call: sampleOpenCall({ callId: 2, heldE8: 51n }) },
          { kind: "hold", call: sampleOpenCall({ heldE8: 1n }) },
          { kind: "hold", call: sampleOpenCall({ callId: 3, projectId: "nobody" }) },
          { kind: "hold", call: sampleOpenCall({ callId: 4, heldE8: -1n }) },
          { kind: "hold", call: sampleOpenCall({ callId: 5, heldE8: 1n, unlimited: true }) },
          { kind: "hold", call: sampleOpenCall({ callId: 6, heldE8: 50n }) },
        ]),
      ),
      ["ok", "conflict", "conflict", "missing", "failed", "failed", "ok"],
    );
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 0n, held: 150n },
    ]);
    assert.deepEqual(await storage.calls.openCalls(10), [
      { ...sampleOpenCall(), state: "open" },
      { ...sampleOpenCall({ callId: 6, heldE8: 50n }), state: "open" },
    ]);
    assert.equal((await storage.calls.openCalls(1)).length, 1);
    assert.equal((await storage.ledger.slice(1, 10)).length, 0);
  });

  test("rehold replaces route, price version and hold", async (storage) => {
    await fundProject(storage, 150n);
    const dearer = sampleOpenCall({
      route: "b/small",
      provider: "b",
      priceVersion: 2,
      heldE8: 150n,
    });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "rehold", call: dearer },
          { kind: "hold", call: sampleOpenCall() },
          { kind: "rehold", call: { ...dearer, heldE8: 151n } },
          { kind: "rehold", call: { ...dearer, projectId: "nobody" } },
          { kind: "rehold", call: dearer },
        ]),
      ),
      ["missing", "ok", "conflict", "missing", "ok"],
    );
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 0n, held: 150n },
    ]);
    assert.deepEqual(await storage.calls.find(1), { ...dearer, state: "open" });
    const closed = sampleClosedCall({ ...dearer, chargedE8: 140n });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "close", call: closed },
          { kind: "rehold", call: dearer },
        ]),
      ),
      ["ok", "conflict"],
    );
    assert.deepEqual(await storage.calls.find(1), closed);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 10n, held: 0n },
    ]);
  });

  test("rehold of another project's call is refused", async (storage) => {
    await fundProject(storage, 150n);
    await commitEach(storage, [
      { kind: "create_project", project: sampleProject({ id: "other" }) },
      { kind: "hold", call: sampleOpenCall() },
    ]);
    const stolen = sampleOpenCall({ projectId: "other", heldE8: 0n });
    assert.deepEqual(words([await commitOne(storage, { kind: "rehold", call: stolen })]), [
      "conflict",
    ]);
  });

  test("calls are found, sliced and listed by time of closing", async (storage) => {
    await fundProject(storage, 0n);
    const closed = [1, 2, 3, 4].map((callId) =>
      sampleClosedCall({
        callId,
        heldE8: 0n,
        chargedE8: 0n,
        closedAt: NOON_ISH + callId,
      })
    );
    const results = await storage.commitBatch([
      ...closed.map((call): Entry => ({ kind: "close", call })),
      { kind: "hold", call: sampleOpenCall({ callId: 9, heldE8: 0n }) },
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "ok", "ok", "ok"]);
    assert.equal(await storage.calls.lastCallId(), 9);
    assert.deepEqual((await storage.calls.slice(2, 2)).map(({ callId }) => callId), [3, 4]);
    assert.deepEqual(
      (await storage.calls.closedSince(NOON_ISH + 2, 2)).map(({ callId }) => callId),
      [4, 3],
    );
    assert.deepEqual(
      (await storage.calls.closedSince(NOON_ISH + 2, 10)).map(({ callId }) => callId),
      [4, 3, 2],
    );
    assert.deepEqual(await storage.calls.closedSince(NOON_ISH + 5, 10), []);
  });

  test("usage totals add up closed calls by hour, project, model, provider and route", async (storage) => {
    await fundProject(storage, 1_000n);
    const hour = 3_600_000;
    const close = (callId: number, changes: Parameters<typeof sampleClosedCall>[0]): Entry => ({
      kind: "close",
      call: sampleClosedCall({ callId, ...changes }),
    });
    await storage.commitBatch([
      close(1, {}),
      close(2, { lossE8: 7n, closedAt: NOON_ISH + 1 }),
      close(3, { route: "b/small", provider: "b", closedAt: NOON_ISH + 24 * hour }),
    ]);
    await storage.commitBatch([close(4, { model: "large" })]);
    const one = { promptTokens: 10, completionTokens: 5, costE8: 20n, saleE8: 30n, chargedE8: 30n };
    const total = (calls: number, lossE8 = 0n) => ({
      calls,
      promptTokens: one.promptTokens * calls,
      completionTokens: one.completionTokens * calls,
      costE8: one.costE8 * BigInt(calls),
      saleE8: one.saleE8 * BigInt(calls),
      chargedE8: one.chargedE8 * BigInt(calls),
      lossE8,
    });
    const { calls } = storage;
    assert.deepEqual((await calls.usageReport({ groupBy: [] })).lines, [total(4, 7n)]);
    assert.deepEqual((await calls.usageReport({ groupBy: ["day", "provider"] })).lines, [
      { provider: "b", day: "2026-11-22", ...total(1) },
      { provider: "openai", day: "2026-11-21", ...total(3, 7n) },
    ]);
    assert.deepEqual((await calls.usageReport({ groupBy: ["project", "model", "route"] })).lines, [
      { project: "acme", model: "large", route: "openai/small", ...total(1) },
      { project: "acme", model: "small", route: "b/small", ...total(1) },
      { project: "acme", model: "small", route: "openai/small", ...total(2, 7n) },
    ]);
    assert.deepEqual((await calls.usageReport({ groupBy: [], model: "large" })).lines, [total(1)]);
    assert.deepEqual((await calls.usageReport({ groupBy: [], projectId: "nobody" })).lines, []);
    assert.deepEqual(
      (await calls.usageReport({ groupBy: [], fromMs: NOON_ISH, toMs: NOON_ISH + 10 * hour }))
        .lines,
      [total(3, 7n)],
    );
    assert.deepEqual(
      (await calls.usageReport({
        groupBy: [],
        fromMs: NOON_ISH + hour,
        toMs: NOON_ISH + 30 * hour,
      })).lines,
      [total(1)],
    );
  });
}
