/**
 * The storage suite's part about spending.
 *
 * @module
 */

import assert from "node:assert/strict";
import { hourOf } from "../../src/domain/budgets.ts";
import type { SpendState } from "../../src/domain/spending.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleKey,
  sampleProject,
  words,
} from "./storage_samples.ts";

const HOUR_MS = 3_600_000;
const HOUR = hourOf(NOON_ISH);

/** Registers the tests about spending. */
export function testSpending(test: StorageTest): void {
  test("spending is what settled calls used, or would have been charged", async (storage) => {
    await fundProject(storage, 10_000n);
    const other = { keyId: "key_2", closedAt: NOON_ISH - 2 * HOUR_MS } as const;
    const released = { state: "released", chargedE8: 0n } as const;
    const results = await commitEach(storage, [
      { kind: "create_project", project: sampleProject({ id: "free", unlimited: true }) },
      { kind: "close", call: sampleClosedCall({ callId: 1 }) },
      { kind: "close", call: sampleClosedCall({ callId: 2, saleE8: 150n, lossE8: 120n }) },
      { kind: "close", call: sampleClosedCall({ callId: 3, ...other }) },
      { kind: "close", call: sampleClosedCall({ callId: 4, ...released, lossE8: 30n }) },
      { kind: "close", call: sampleClosedCall({ callId: 5, ...released, saleE8: 0n }) },
      {
        kind: "close",
        call: sampleClosedCall({
          callId: 6,
          projectId: "free",
          keyId: "key_3",
          heldE8: 0n,
          chargedE8: 0n,
          unlimited: true,
        }),
      },
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "ok", "ok", "ok", "ok", "ok"]);
    const sums = await storage.spending.sums({ month: HOUR - 2, day: HOUR - 1, hour: HOUR });
    assert.deepEqual([...sums].sort((a, b) => a.keyId < b.keyId ? -1 : 1), [
      { projectId: "acme", keyId: "key_1", hourE8: 180n, dayE8: 180n, monthE8: 180n },
      { projectId: "acme", keyId: "key_2", hourE8: 0n, dayE8: 0n, monthE8: 30n },
      { projectId: "free", keyId: "key_3", hourE8: 30n, dayE8: 30n, monthE8: 30n },
    ]);
    const since = { fromHour: HOUR - 2, toHour: HOUR + 1 };
    const ofProject = { scope: "project", ids: ["acme", "nobody"] } as const;
    assert.deepEqual(await storage.spending.history({ ...ofProject, ...since }), [
      { id: "acme", hour: HOUR - 2, spentE8: 30n },
      { id: "acme", hour: HOUR, spentE8: 180n },
    ]);
    assert.deepEqual(
      await storage.spending.history({ scope: "key", ids: ["key_1"], ...since, toHour: HOUR }),
      [],
    );
  });

  test("put_spend_state replaces what is stored, and forgets what says nothing", async (storage) => {
    await fundProject(storage, 0n);
    assert.deepEqual(await storage.spending.states(), []);
    const project: SpendState = {
      scope: "project",
      id: "acme",
      pause: { at: NOON_ISH, spentE8: 1_234_567_890n, usualE8: 0n, mostE8: 7n },
      forgiven: { hour: { period: HOUR, amountE8: 5n }, month: { period: 24_321, amountE8: 0n } },
    };
    const key: SpendState = { ...project, scope: "key", id: "key_1", pause: undefined };
    const put = (state: SpendState) => commitOne(storage, { kind: "put_spend_state", state });
    await commitOne(storage, { kind: "create_key", key: sampleKey() });
    for (const state of [{ ...project, pause: undefined }, project, key]) {
      assert.equal((await put(state)).ok, true);
    }
    const byScope = (states: readonly SpendState[]) =>
      [...states].sort((a, b) => a.scope < b.scope ? -1 : 1);
    assert.deepEqual(byScope(await storage.spending.states()), [key, project]);
    await commitOne(storage, { kind: "delete_key", keyId: "key_1" });
    assert.deepEqual(await storage.spending.states(), [project]);
    await put({ scope: "project", id: "acme", pause: undefined, forgiven: {} });
    assert.deepEqual(await storage.spending.states(), []);
  });

  test("quotas of projects come back as they went in", async (storage) => {
    const project = sampleProject({ quotas: { keptBytes: 0, videoBytes: 2 ** 50 } });
    await commitOne(storage, { kind: "create_project", project });
    assert.deepEqual(await storage.accounts.loadProjects(), [project]);
    await commitOne(storage, { kind: "update_project", project: sampleProject() });
    assert.deepEqual(await storage.accounts.loadProjects(), [sampleProject()]);
  });

  test("budgets of projects and keys come back as they went in", async (storage) => {
    const budgets = { dailyE8: 1n, monthlyE8: 999_999_999_999_999_999n, brakeTimes: 12 };
    const project = sampleProject({ budgets });
    const key = sampleKey({ budgets: { brakeTimes: 2, brakeFloorE8: 123_456_789n } });
    await commitEach(storage, [{ kind: "create_project", project }, { kind: "create_key", key }]);
    assert.deepEqual(await storage.accounts.loadProjects(), [project]);
    assert.deepEqual(await storage.accounts.loadKeys(), [key]);
    await commitOne(storage, { kind: "update_key", key: sampleKey() });
    assert.deepEqual(await storage.accounts.loadKeys(), [sampleKey()]);
  });
}
