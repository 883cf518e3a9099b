/**
 * The storage suite's part about closing calls, alone and in company.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MAIN_BOOK } from "../../src/domain/book.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  words,
} from "./storage_samples.ts";

/** Registers the tests about closing calls, alone and in company. */
export function testClosing(test: StorageTest): void {
  test("close settles once: excess goes back, the row and the ledger say so", async (storage) => {
    await fundProject(storage, 150n);
    const call = sampleClosedCall({
      saleE8: 120n,
      chargedE8: 100n,
      lossE8: 20n,
      errorCode: "upstream_error",
    });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "hold", call: sampleOpenCall() },
          { kind: "close", call: { ...call, heldE8: 99n } },
          { kind: "close", call: { ...call, chargedE8: 101n } },
          { kind: "close", call },
          { kind: "close", call },
          { kind: "close", call: { ...call, state: "released", chargedE8: 0n } },
          { kind: "close", call: { ...call, callId: 2, projectId: "nobody" } },
        ]),
      ),
      ["ok", "conflict", "failed", "ok", "conflict", "conflict", "missing"],
    );
    assert.deepEqual(await storage.calls.find(1), call);
    assert.equal(await storage.calls.find(2), undefined);
    assert.deepEqual(await storage.calls.openCalls(10), []);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 50n, held: 0n },
    ]);
    const common = {
      book: MAIN_BOOK,
      projectId: "acme",
      balanceAfterE8: 50n,
      callId: 1,
      reference: undefined,
      at: call.closedAt,
    };
    assert.deepEqual(await storage.ledger.slice(1, 10), [
      { ...common, seq: 2, kind: "settle", amountE8: 100n },
      { ...common, seq: 3, kind: "loss", amountE8: 20n },
    ]);
  });

  test("close releases: nothing is charged", async (storage) => {
    await fundProject(storage, 100n);
    const call = sampleClosedCall({
      state: "released",
      result: "client_aborted",
      chargedE8: 0n,
      firstByteMs: undefined,
      usageSource: "none",
    });
    await commitEach(storage, [{ kind: "hold", call: sampleOpenCall() }, { kind: "close", call }]);
    assert.deepEqual(await storage.calls.find(1), call);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 100n, held: 0n },
    ]);
    assert.deepEqual(
      (await storage.ledger.slice(1, 10)).map((row) => [row.kind, row.amountE8]),
      [["release", 0n]],
    );
    const charged = sampleClosedCall({ callId: 2, state: "released", chargedE8: 1n });
    assert.deepEqual(words([await commitOne(storage, { kind: "close", call: charged })]), [
      "failed",
    ]);
  });

  test("an unlimited call is metered and never charged", async (storage) => {
    await fundProject(storage, 0n);
    const free = { unlimited: true, heldE8: 0n, chargedE8: 0n };
    const results = await commitEach(storage, [
      { kind: "hold", call: sampleOpenCall({ unlimited: true, heldE8: 0n }) },
      { kind: "close", call: sampleClosedCall(free) },
      { kind: "close", call: sampleClosedCall({ ...free, callId: 2, chargedE8: 1n }) },
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "failed"]);
    assert.deepEqual(
      (await storage.ledger.slice(1, 10)).map((row) => [row.kind, row.amountE8]),
      [["settle", 0n]],
    );
  });

  test("a hold and its close in one batch equal two batches", async (storage) => {
    await fundProject(storage, 1_000n);
    const dearer = { heldE8: 130n, route: "b/small" };
    const entries = (first: number): Entry[] => [
      { kind: "hold", call: sampleOpenCall({ callId: first }) },
      { kind: "hold", call: sampleOpenCall({ callId: first + 1 }) },
      { kind: "close", call: sampleClosedCall({ callId: first, lossE8: 3n }) },
      { kind: "rehold", call: sampleOpenCall({ callId: first + 1, ...dearer }) },
      { kind: "close", call: sampleClosedCall({ callId: first }) },
      { kind: "close", call: sampleClosedCall({ callId: first + 1, ...dearer, chargedE8: 130n }) },
      { kind: "close", call: sampleClosedCall({ callId: first + 2 }) },
      { kind: "hold", call: sampleOpenCall({ callId: first + 3 }) },
    ];
    const separate = words(await commitEach(storage, entries(1)));
    const separateBalance = await storage.accounts.loadBalances();
    const separateRows = await storage.ledger.slice(1, 10);
    const separateCalls = await storage.calls.slice(0, 10);

    const together = words(await storage.commitBatch(entries(11)));
    const [balance] = await storage.accounts.loadBalances();
    assert.deepEqual(together, ["ok", "ok", "ok", "ok", "conflict", "ok", "ok", "ok"]);
    assert.deepEqual(together, separate);
    assert.deepEqual(separateBalance, [{ projectId: "acme", avail: 710n, held: 100n }]);
    assert.deepEqual(balance, { projectId: "acme", avail: 420n, held: 200n });
    assert.deepEqual(
      (await storage.ledger.slice(5, 10)).map((row) => ({
        ...row,
        seq: row.seq - 4,
        callId: row.callId! - 10,
        balanceAfterE8: row.balanceAfterE8 + 190n,
      })),
      separateRows,
    );
    assert.deepEqual(
      (await storage.calls.slice(10, 10)).map((call) => ({ ...call, callId: call.callId - 10 })),
      separateCalls,
    );
  });

  test("one batch may have a call's whole life, as an outage gathers it", async (storage) => {
    await fundProject(storage, 1_000n);
    const rehold = (heldE8: bigint): Entry => ({
      kind: "rehold",
      call: sampleOpenCall({ heldE8 }),
    });
    const close: Entry = { kind: "close", call: sampleClosedCall({ heldE8: 300n }) };
    const results = await storage.commitBatch([
      { kind: "hold", call: sampleOpenCall({ heldE8: 100n }) },
      { kind: "hold", call: sampleOpenCall({ callId: 2, heldE8: 700n }) },
      rehold(200n),
      rehold(301n),
      rehold(300n),
      close,
      close,
      rehold(300n),
    ]);
    assert.deepEqual(words(results), [
      "ok",
      "ok",
      "ok",
      "conflict",
      "ok",
      "ok",
      "conflict",
      "conflict",
    ]);
    const { chargedE8 } = sampleClosedCall();
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 300n - chargedE8, held: 700n },
    ]);
    const [closed, open] = await storage.calls.slice(0, 10);
    assert.deepEqual([closed!.state, closed!.heldE8], ["settled", 300n]);
    assert.deepEqual([open!.state, open!.heldE8], ["open", 700n]);
  });

  test("close takes its own hold when there is none", async (storage) => {
    await fundProject(storage, 300n);
    const results = await storage.commitBatch([
      { kind: "hold", call: sampleOpenCall() },
      { kind: "close", call: sampleClosedCall() },
      { kind: "close", call: sampleClosedCall() },
      { kind: "close", call: sampleClosedCall({ callId: 2 }) },
      { kind: "close", call: sampleClosedCall({ callId: 2 }) },
      { kind: "close", call: sampleClosedCall({ callId: 3 }) },
      { kind: "close", call: sampleClosedCall({ callId: 4, heldE8: 211n }) },
      { kind: "close", call: sampleClosedCall({ callId: 5, heldE8: 211n }) },
      { kind: "hold", call: sampleOpenCall({ callId: 6, heldE8: 210n }) },
      { kind: "close", call: sampleClosedCall({ callId: 6, heldE8: 210n }) },
    ]);
    assert.deepEqual(words(results), [
      "ok",
      "ok",
      "conflict",
      "ok",
      "conflict",
      "ok",
      "conflict",
      "conflict",
      "ok",
      "ok",
    ]);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 180n, held: 0n },
    ]);
    assert.deepEqual(
      (await storage.calls.slice(0, 10)).map((call) => call.callId),
      [1, 2, 3, 6],
    );
  });

  test("entries of one batch succeed or fail alone", async (storage) => {
    await fundProject(storage, 250n);
    const results = await storage.commitBatch([
      { kind: "hold", call: sampleOpenCall() },
      { kind: "hold", call: sampleOpenCall() },
      { kind: "create_key", key: sampleKey({ projectId: "nobody" }) },
      { kind: "hold", call: sampleOpenCall({ callId: 2 }) },
      { kind: "close", call: sampleClosedCall({ chargedE8: 101n }) },
      { kind: "hold", call: sampleOpenCall({ callId: 3 }) },
      { kind: "close", call: sampleClosedCall({ callId: 2, chargedE8: 90n }) },
      { kind: "hold", call: sampleOpenCall({ callId: 4, heldE8: 61n }) },
      { kind: "hold", call: sampleOpenCall({ callId: 5, heldE8: 60n }) },
      { kind: "create_key", key: sampleKey() },
      { kind: "switch_route", routeId: "nowhere", enabled: true, maintenance: false },
      { kind: "credit", projectId: "acme", amountE8: 1n, reference: "r", at: NOON_ISH },
    ]);
    assert.deepEqual(words(results), [
      "ok",
      "conflict",
      "missing",
      "ok",
      "failed",
      "conflict",
      "ok",
      "conflict",
      "ok",
      "ok",
      "missing",
      "ok",
    ]);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 1n, held: 160n },
    ]);
    assert.deepEqual((await storage.calls.openCalls(10)).map((call) => call.callId), [1, 5]);
    assert.deepEqual((await storage.ledger.slice(0, 10)).map((row) => row.seq), [1, 2, 3]);
    const [usage] = (await storage.calls.usageReport({ groupBy: [] })).lines;
    assert.equal(usage!.calls, 1);
  });
}
