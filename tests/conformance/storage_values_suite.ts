/**
 * The storage suite's part about values at the edge of what a column holds.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MAX_AMOUNT_E8 } from "../../src/domain/money.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  sampleProject,
  words,
} from "./storage_samples.ts";

const ODD_TEXTS = [
  `it's "quoted"; DROP TABLE calls; --`,
  "naïve 漢字 🚀 \u202e",
  "line\nbreak\ttab",
  "%_\\",
];

/** Registers the tests about values at the edge of what a column holds. */
export function testValues(test: StorageTest): void {
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
        (await storage.calls.usageReport({ model: text, groupBy: ["route"] })).lines[0]!.route,
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
}
