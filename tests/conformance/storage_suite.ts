/**
 * What every storage driver must do, as tests over a way to open one.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MAX_AMOUNT_E8 } from "../../src/domain/money.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  samplePrices,
  sampleProject,
  sampleRoute,
  words,
} from "./storage_samples.ts";

/** A driver under test. */
export interface StorageDriver {
  readonly name: string;
  /** Opens (or creates) the database at a path. */
  readonly open: (path: string) => Promise<Storage>;
}

const ODD_TEXTS = [
  `it's "quoted"; DROP TABLE calls; --`,
  "naïve 漢字 🚀 \u202e",
  "line\nbreak\ttab",
  "%_\\",
];

/** Registers the suite for a driver. */
export function testStorageDriver(driver: StorageDriver): void {
  function test(name: string, run: (storage: Storage) => Promise<void>): void {
    Deno.test(`${driver.name}: ${name}`, () => withStorage(driver, run));
  }

  test("a new database is empty", async (storage) => {
    assert.deepEqual(await storage.accounts.loadProjects(), []);
    assert.deepEqual(await storage.accounts.loadKeys(), []);
    assert.equal(await storage.catalogue.load(), undefined);
    assert.equal(await storage.calls.lastCallId(), 0);
    assert.deepEqual(await storage.calls.usageTotals({ groupBy: [] }), []);
    assert.deepEqual(await storage.ledger.slice(0, 10), []);
    assert.deepEqual(await storage.commitBatch([]), []);
    const info = await storage.info();
    assert.equal(info.schemaVersion >= 1 && info.bytes > 0, true);
  });

  test("create_project, update_project: settings change, the balance stays", async (storage) => {
    await fundProject(storage, 500n);
    const changed = sampleProject({
      disabled: true,
      unlimited: true,
      models: ["a", "b*"],
      limits: {},
    });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "create_project", project: sampleProject() },
          { kind: "update_project", project: changed },
          { kind: "update_project", project: sampleProject({ id: "nobody" }) },
        ]),
      ),
      ["conflict", "ok", "missing"],
    );
    assert.deepEqual(await storage.accounts.loadProjects(), [changed]);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 500n, held: 0n },
    ]);
  });

  test("keys are created, replaced and deleted", async (storage) => {
    await fundProject(storage, 0n);
    const other = sampleKey({
      id: "key_2",
      hash: "b".repeat(64),
      models: ["x"],
      expiresAt: NOON_ISH,
    });
    const renamed = sampleKey({ name: "desk", disabled: true, limits: { concurrent: 3 } });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "create_key", key: sampleKey() },
          { kind: "create_key", key: other },
          { kind: "create_key", key: sampleKey({ hash: "c".repeat(64) }) },
          { kind: "create_key", key: sampleKey({ id: "key_3" }) },
          {
            kind: "create_key",
            key: sampleKey({ id: "key_4", hash: "d".repeat(64), projectId: "nobody" }),
          },
          { kind: "update_key", key: renamed },
          { kind: "update_key", key: sampleKey({ id: "key_9", hash: "e".repeat(64) }) },
          { kind: "delete_key", keyId: "key_9" },
        ]),
      ),
      ["ok", "ok", "conflict", "conflict", "missing", "ok", "missing", "missing"],
    );
    assert.deepEqual(await storage.accounts.loadKeys(), [renamed, other]);
    assert.deepEqual(words([await commitOne(storage, { kind: "delete_key", keyId: "key_1" })]), [
      "ok",
    ]);
    assert.deepEqual(await storage.accounts.loadKeys(), [other]);
  });

  test("credit is repeatable by its reference", async (storage) => {
    await fundProject(storage, 0n);
    const credit = (amountE8: bigint, reference?: string, projectId = "acme"): Entry => ({
      kind: "credit",
      projectId,
      amountE8,
      reference,
      at: NOON_ISH,
    });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          credit(70n, "inv-1"),
          credit(70n, "inv-1"),
          credit(71n, "inv-1"),
          credit(5n),
          credit(5n),
          credit(1n, undefined, "nobody"),
          credit(-1n),
          credit(MAX_AMOUNT_E8),
        ]),
      ),
      ["ok", "repeated", "conflict", "ok", "ok", "missing", "failed", "conflict"],
    );
    assert.deepEqual(
      words(await storage.commitBatch([credit(9n, "x"), credit(9n, "x"), credit(8n, "x")])),
      ["ok", "repeated", "conflict"],
    );
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 89n, held: 0n },
    ]);
    const rows = await storage.ledger.slice(1, 10);
    assert.deepEqual(
      rows.map((row) => [row.seq, row.kind, row.amountE8, row.balanceAfterE8, row.reference]),
      [
        [2, "credit", 70n, 70n, "inv-1"],
        [3, "credit", 5n, 75n, undefined],
        [4, "credit", 5n, 80n, undefined],
        [5, "credit", 9n, 89n, "x"],
      ],
    );
  });

  test("the same reference serves two projects", async (storage) => {
    await fundProject(storage, 0n);
    await commitOne(storage, { kind: "create_project", project: sampleProject({ id: "other" }) });
    const credit = (projectId: string): Entry => (
      { kind: "credit", projectId, amountE8: 7n, reference: "r", at: NOON_ISH }
    );
    assert.deepEqual(words(await storage.commitBatch([credit("acme"), credit("other")])), [
      "ok",
      "ok",
    ]);
  });

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
    const [usage] = await storage.calls.usageTotals({ groupBy: [] });
    assert.equal(usage!.calls, 1);
  });

  test("odd texts come back as they went in", async (storage) => {
    await fundProject(storage, 10_000n);
    for (const [index, text] of ODD_TEXTS.entries()) {
      const callId = index + 1;
      const call = sampleClosedCall({
        callId,
        requestId: text,
        keyId: text,
        model: text,
        provider: text,
        route: text,
        errorCode: text,
      });
      const project = sampleProject({ id: text, models: [text] });
      const key = sampleKey({
        id: text,
        projectId: text,
        name: text,
        prefix: text,
        hash: `${callId}`.padStart(64, "0"),
        models: [text],
      });
      const results = await storage.commitBatch([
        { kind: "create_project", project },
        { kind: "create_key", key },
        { kind: "credit", projectId: text, amountE8: 1n, reference: text, at: NOON_ISH },
        { kind: "close", call },
      ]);
      assert.deepEqual(words(results), ["ok", "ok", "ok", "ok"], text);
      assert.deepEqual(await storage.calls.find(callId), call);
      assert.deepEqual(
        (await storage.accounts.loadProjects()).find(({ id }) => id === text),
        project,
      );
      assert.deepEqual((await storage.accounts.loadKeys()).find(({ id }) => id === text), key);
      assert.equal(
        (await storage.ledger.slice(0, 100)).some((row) => row.reference === text),
        true,
      );
      assert.equal(
        (await storage.calls.usageTotals({ model: text, groupBy: ["route"] }))[0]!.route,
        text,
      );
    }
    for (const table of ["calls", "ledger"] as const) {
      assert.deepEqual((await storage.ledger.alteredRows(table, 0, 1_000)).altered, []);
    }
  });

  test("U+0000, which no column holds, is refused in names and replaced elsewhere", async (storage) => {
    await fundProject(storage, 100n);
    const results = await storage.commitBatch([
      { kind: "create_project", project: sampleProject({ id: "a\0b" }) },
      { kind: "create_key", key: sampleKey({ name: "a\0b" }) },
      { kind: "credit", projectId: "acme", amountE8: 1n, reference: "a\0b", at: NOON_ISH },
      { kind: "credit", projectId: "acme", amountE8: 1n, reference: "a\0b", at: NOON_ISH },
      { kind: "close", call: sampleClosedCall({ errorCode: "a\0b" }) },
    ]);
    assert.deepEqual(words(results), ["failed", "failed", "ok", "repeated", "ok"]);
    const call = await storage.calls.find(1);
    assert.equal(call!.state !== "open" && call!.errorCode, "a\ufffdb");
    assert.equal((await storage.ledger.slice(1, 1))[0]!.reference, "a\ufffdb");
    assert.deepEqual((await storage.ledger.alteredRows("calls", 0, 10)).altered, []);
    assert.deepEqual((await storage.ledger.alteredRows("ledger", 0, 10)).altered, []);
  });

  test("the largest amounts stay exact", async (storage) => {
    await fundProject(storage, MAX_AMOUNT_E8);
    const big = { heldE8: MAX_AMOUNT_E8, costE8: 9_007_199_254_740_993n };
    const call = sampleClosedCall({ ...big, saleE8: MAX_AMOUNT_E8, chargedE8: MAX_AMOUNT_E8 - 1n });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "hold", call: sampleOpenCall({ heldE8: MAX_AMOUNT_E8 }) },
          { kind: "close", call },
        ]),
      ),
      ["ok", "ok"],
    );
    assert.deepEqual(await storage.calls.find(1), call);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 1n, held: 0n },
    ]);
    assert.deepEqual((await storage.ledger.alteredRows("calls", 0, 10)).altered, []);
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
    assert.deepEqual(await calls.usageTotals({ groupBy: [] }), [total(4, 7n)]);
    assert.deepEqual(await calls.usageTotals({ groupBy: ["day", "provider"] }), [
      { provider: "b", day: "2026-11-22", ...total(1) },
      { provider: "openai", day: "2026-11-21", ...total(3, 7n) },
    ]);
    assert.deepEqual(await calls.usageTotals({ groupBy: ["project", "model", "route"] }), [
      { project: "acme", model: "large", route: "openai/small", ...total(1) },
      { project: "acme", model: "small", route: "b/small", ...total(1) },
      { project: "acme", model: "small", route: "openai/small", ...total(2, 7n) },
    ]);
    assert.deepEqual(await calls.usageTotals({ groupBy: [], model: "large" }), [total(1)]);
    assert.deepEqual(await calls.usageTotals({ groupBy: [], projectId: "nobody" }), []);
    assert.deepEqual(
      await calls.usageTotals({ groupBy: [], fromMs: NOON_ISH, toMs: NOON_ISH + 10 * hour }),
      [total(3, 7n)],
    );
    assert.deepEqual(
      await calls.usageTotals({ groupBy: [], fromMs: NOON_ISH + hour, toMs: NOON_ISH + 30 * hour }),
      [total(1)],
    );
  });

  test("write_catalogue gives a version to every difference in prices", async (storage) => {
    const write = async (prices: Parameters<typeof samplePrices>[0]) => {
      const catalogue = sampleCatalogue([sampleRoute({ prices: samplePrices(prices) })]);
      const result = await commitOne(storage, { kind: "write_catalogue", catalogue, at: NOON_ISH });
      assert.equal(result.ok, true);
      const stored = await storage.catalogue.load();
      assert.deepEqual(stored, result.ok ? result.catalogue : undefined);
      const version = stored!.models[0]!.routes[0]!.prices.version;
      assert.deepEqual(
        stored,
        sampleCatalogue([sampleRoute({ prices: samplePrices({ ...prices, version }) })]),
      );
      return version;
    };
    const bySize = { "640x360": 2n, "1280x720": 9_007_199_254_740_993n };
    assert.equal(await write({}), 1);
    assert.equal(await write({}), 1);
    assert.equal(await write({ version: 77 }), 1);
    assert.equal(await write({ sale: undefined }), 2);
    assert.equal(await write({ sale: { kind: "free" }, cost: undefined }), 3);
    assert.equal(await write({ sale: { kind: "rates", rates: { second: bySize } } }), 4);
    assert.equal(await write({ sale: { kind: "rates", rates: { second: 5n, request: 0n } } }), 5);
    assert.equal(await write({}), 6);
    assert.deepEqual(await storage.catalogue.priceVersions([4, 1, 99, 4]), [
      samplePrices({ version: 1 }),
      samplePrices({ version: 4, sale: { kind: "rates", rates: { second: bySize } } }),
    ]);
  });

  test("write_catalogue replaces everything or nothing", async (storage) => {
    const two = sampleCatalogue([sampleRoute(), sampleRoute({ id: "b/small" })]);
    await commitOne(storage, { kind: "write_catalogue", catalogue: two, at: NOON_ISH });
    const twice = sampleCatalogue([sampleRoute(), sampleRoute()]);
    const homeless = sampleCatalogue([sampleRoute({ providerId: "nobody" })]);
    assert.deepEqual(
      words(
        await storage.commitBatch([
          { kind: "write_catalogue", catalogue: twice, at: NOON_ISH },
          { kind: "write_catalogue", catalogue: homeless, at: NOON_ISH },
        ]),
      ),
      ["conflict", "missing"],
    );
    assert.deepEqual(
      (await storage.catalogue.load())!.models[0]!.routes.map(({ id }) => id),
      ["openai/small", "b/small"],
    );
    const none = { ...sampleCatalogue([]), currency: "EUR" };
    await commitOne(storage, { kind: "write_catalogue", catalogue: none, at: NOON_ISH });
    assert.deepEqual(await storage.catalogue.load(), none);
  });

  test("switch_route outlives a catalogue that says what it said before", async (storage) => {
    const write = (changes: Parameters<typeof sampleRoute>[0]) =>
      commitOne(storage, {
        kind: "write_catalogue",
        catalogue: sampleCatalogue([sampleRoute(changes)]),
        at: NOON_ISH,
      });
    const switches = async () => {
      const { enabled, maintenance } = (await storage.catalogue.load())!.models[0]!.routes[0]!;
      return { enabled, maintenance };
    };
    await write({});
    const entry: Entry = {
      kind: "switch_route",
      routeId: "openai/small",
      enabled: false,
      maintenance: true,
    };
    assert.deepEqual(words([await commitOne(storage, entry)]), ["ok"]);
    assert.deepEqual(await switches(), { enabled: false, maintenance: true });
    const result = await write({ weight: 9 });
    assert.deepEqual(await switches(), { enabled: false, maintenance: true });
    assert.equal(result.ok && result.catalogue!.models[0]!.routes[0]!.enabled, false);
    await write({ enabled: false });
    await write({ enabled: true });
    assert.deepEqual(await switches(), { enabled: true, maintenance: true });
  });

  test("a batch may create what it then uses", async (storage) => {
    const results = await storage.commitBatch([
      { kind: "hold", call: sampleOpenCall() },
      { kind: "create_project", project: sampleProject() },
      { kind: "credit", projectId: "acme", amountE8: 100n, reference: "a", at: NOON_ISH },
      { kind: "create_key", key: sampleKey() },
      { kind: "hold", call: sampleOpenCall() },
      { kind: "update_project", project: sampleProject({ disabled: true }) },
    ]);
    assert.deepEqual(words(results), ["missing", "ok", "ok", "ok", "ok", "ok"]);
    assert.deepEqual(await storage.accounts.loadBalances(), [
      { projectId: "acme", avail: 0n, held: 100n },
    ]);
    assert.equal((await storage.accounts.loadProjects())[0]!.disabled, true);
  });

  Deno.test(`${driver.name}: everything is there after closing and opening again`, async () => {
    await inTemporaryFolder(async (path) => {
      const first = await driver.open(path);
      await fundProject(first, 1_000n);
      await first.commitBatch([
        { kind: "create_key", key: sampleKey() },
        { kind: "write_catalogue", catalogue: sampleCatalogue(), at: NOON_ISH },
        { kind: "hold", call: sampleOpenCall() },
        { kind: "close", call: sampleClosedCall({ callId: 2 }) },
      ]);
      await first.checkpoint();
      const before = await snapshot(first);
      await first.close();
      await first.close();
      await assert.rejects(first.accounts.loadKeys());
      const second = await driver.open(path);
      assert.deepEqual(await snapshot(second), before);
      assert.deepEqual(
        words([await commitOne(second, { kind: "close", call: sampleClosedCall() })]),
        ["ok"],
      );
      await second.close();
    });
  });

  Deno.test(`${driver.name}: a file that is no database is refused and left alone`, async () => {
    await inTemporaryFolder(async (path) => {
      const junk = "this is not a database\n".repeat(500);
      await Deno.writeTextFile(path, junk);
      await assert.rejects(driver.open(path), { name: "StorageOpenError" });
      assert.equal(await Deno.readTextFile(path), junk);
    });
  });
}

async function snapshot(storage: Storage) {
  return {
    projects: await storage.accounts.loadProjects(),
    keys: await storage.accounts.loadKeys(),
    balances: await storage.accounts.loadBalances(),
    catalogue: await storage.catalogue.load(),
    calls: await storage.calls.slice(0, 100),
    ledger: await storage.ledger.slice(0, 100),
    usage: await storage.calls.usageTotals({ groupBy: ["route", "day"] }),
  };
}

async function withStorage(
  driver: StorageDriver,
  run: (storage: Storage) => Promise<void>,
): Promise<void> {
  await inTemporaryFolder(async (path) => {
    const storage = await driver.open(path);
    try {
      await run(storage);
      await assertBooksBalance(storage);
    } finally {
      await storage.close();
    }
  });
}

/** Every project's balance is the sum of its ledger, and what is held is what open calls hold. */
async function assertBooksBalance(storage: Storage): Promise<void> {
  const sums = new Map<string, bigint>();
  for (const [index, row] of (await storage.ledger.slice(0, 10_000)).entries()) {
    assert.equal(row.seq, index + 1);
    const sign = row.kind === "credit" ? 1n : row.kind === "settle" ? -1n : 0n;
    const sum = (sums.get(row.projectId) ?? 0n) + sign * row.amountE8;
    assert.equal(row.balanceAfterE8, sum);
    sums.set(row.projectId, sum);
  }
  const held = new Map<string, bigint>();
  for (const call of await storage.calls.openCalls(10_000)) {
    held.set(call.projectId, (held.get(call.projectId) ?? 0n) + call.heldE8);
  }
  for (const balance of await storage.accounts.loadBalances()) {
    assert.equal(balance.avail + balance.held, sums.get(balance.projectId) ?? 0n);
    assert.equal(balance.held, held.get(balance.projectId) ?? 0n);
  }
}

async function inTemporaryFolder(run: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "tollgate_storage_" });
  try {
    await run(`${folder}/tollgate.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
