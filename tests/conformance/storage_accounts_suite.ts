/**
 * The storage suite's part about projects, keys and credits.
 *
 * @module
 */

import assert from "node:assert/strict";
import { MAX_AMOUNT_E8 } from "../../src/domain/money.ts";
import { MAIN_BOOK } from "../../src/domain/book.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleKey,
  sampleOpenCall,
  sampleProject,
  words,
} from "./storage_samples.ts";

/** Registers the tests about projects, keys and credits. */
export function testAccounts(test: StorageTest): void {
  test("a new database is empty", async (storage) => {
    assert.deepEqual(await storage.accounts.loadProjects(), []);
    assert.deepEqual(await storage.accounts.loadKeys(), []);
    assert.equal(await storage.catalogue.load(), undefined);
    assert.equal(await storage.calls.lastCallId(), 0);
    assert.deepEqual((await storage.calls.usageReport({ groupBy: [] })).lines, []);
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
    const renamed = sampleKey({
      name: "desk",
      disabled: true,
      limits: { concurrent: 3 },
      earlier: { hash: "f".repeat(64), prefix: "sk-tg-wxyz", until: NOON_ISH },
    });
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

  test("a snapshot has the rows behind a place, balances and open calls", async (storage) => {
    await fundProject(storage, 1_000n);
    await storage.commitBatch([
      { kind: "hold", call: sampleOpenCall() },
      { kind: "hold", call: sampleOpenCall({ callId: 2 }) },
    ]);
    const query = { after: [], rows: 10, openCalls: 10 };
    const { rows, balances, openCalls } = await storage.snapshot(query);
    assert.deepEqual(rows, await storage.ledger.slice(0, 10));
    assert.deepEqual(balances, await storage.accounts.loadBalances());
    assert.deepEqual(openCalls, await storage.calls.openCalls(10));
    const after = [{ book: MAIN_BOOK, seq: 1 }, { book: 7, seq: 1 }];
    const later = await storage.snapshot({ after, rows: 10, openCalls: 1 });
    assert.deepEqual([later.rows, later.openCalls.length], [[], 1]);
    assert.deepEqual(await storage.ledger.books(), [MAIN_BOOK]);
    assert.deepEqual(await storage.ledger.slice(0, 10, 7), [], "there is no such book");
    assert.deepEqual(await storage.ledger.slice(0, 10, MAIN_BOOK), rows);
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
}
