/**
 * Budgets through their operations: set, shown, resumed.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as z from "zod";
import type { Shown } from "../../src/documents/shown.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import { explainRoutes } from "../../src/admin/explain.ts";
import { createKey, listKeys, resumeKey, setKey } from "../../src/admin/accounts/keys.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import {
  createProject,
  listProjects,
  resumeProject,
  setProject,
} from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { GatewayError } from "../../src/errors.ts";
import { sampleClosedCall, sampleOpenCall } from "../conformance/storage_samples.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

const UNIT = 100_000_000n;

function run<Input extends z.ZodType, Output extends z.ZodType>(
  deps: AdminDeps,
  operation: Operation<Input, Output>,
  input: object = {},
): Promise<Shown<Output>> {
  return runOperation(operation, { deps, input });
}

/** A call of project `free` that would have cost so much. */
async function spend({ deps }: TestAdmin, saleE8: bigint, keyId: string): Promise<void> {
  const { work, usageSource, costE8, firstByteMs, attempts } = sampleClosedCall();
  const { version } = deps.catalogue.current.route("one/small")!.prices;
  const hold = deps.ledger.hold(sampleOpenCall({
    callId: await deps.storage.calls.lastCallId() + 1,
    projectId: "free",
    keyId,
    unlimited: true,
    heldE8: 0n,
    route: "one/small",
    priceVersion: version,
  }))!;
  await deps.ledger.close(hold, {
    ...{ work, usageSource, costE8, firstByteMs, attempts },
    result: "completed",
    billable: true,
    saleE8,
    errorCode: undefined,
  });
}

function refusedWith(error: GatewayError["error"], message: RegExp) {
  return (thrown: GatewayError) => {
    assert.equal(thrown.error, error);
    assert.match(thrown.message, message);
    return true;
  };
}

Deno.test("budgets are set, changed one by one and taken away, of projects and of keys", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const budgets = { daily: "5", monthly: "100.5", spend_brake: 10, spend_brake_floor: "0.25" };
  const shown = {
    daily: "5.00000000",
    monthly: "100.50000000",
    spend_brake: 10,
    spend_brake_floor: "0.25000000",
  };
  const { key: _key, warnings: _warnings, ...key } = await run(deps, createKey, {
    project: "free",
    budgets,
  });
  assert.deepEqual(key.budgets, shown);
  assert.deepEqual((await run(deps, createProject, { id: "shop", budgets })).budgets, shown);
  const changes = { daily: null, monthly: "7", spend_brake: 20 };
  const changed = { ...shown, monthly: "7.00000000", spend_brake: 20 };
  const { daily: _daily, ...left } = changed;
  const set = await run(deps, setProject, { project: "shop", budgets: changes });
  assert.deepEqual(set.budgets, left);
  assert.deepEqual((await run(deps, setKey, { key_id: key.id, budgets: changes })).budgets, left);
  assert.deepEqual((await deps.storage.accounts.loadKeys())[0], deps.directory.key(key.id));
  const gone = { monthly: null, spend_brake: null, spend_brake_floor: null };
  assert.deepEqual((await run(deps, setKey, { key_id: key.id, budgets: gone })).budgets, {});
  for (
    const [bad, message] of [
      [{ daily: "0" }, /budgets\.daily: Expected a positive decimal/],
      [{ daily: 5 }, /budgets\.daily/],
      [{ monthly: "-1" }, /budgets\.monthly/],
      [{ spend_brake: 1 }, /budgets\.spend_brake/],
      [{ spend_brake: 2.5 }, /budgets\.spend_brake/],
      [{ weekly: "1" }, /unknown field weekly/],
    ] as const
  ) {
    await assert.rejects(
      run(deps, setProject, { project: "shop", budgets: bad }),
      refusedWith("invalid_value", message),
    );
  }
});

Deno.test("keys.set changes what it names, and null takes it away; the key goes on", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const { key, id } = await run(deps, createKey, {
    project: "free",
    name: "old",
    models: ["small"],
    expires: "1h",
    limits: { concurrent: 3, requests_per_minute: 5 },
  });
  const named = await run(deps, setKey, { key_id: id, name: "new" });
  assert.deepEqual([named.name, named.models, named.expires_at], [
    "new",
    ["small"],
    "2026-01-01T01:00:00.000Z",
  ]);
  const row = await run(deps, setKey, {
    key_id: id,
    models: null,
    expires: null,
    limits: { concurrent: null },
  });
  assert.deepEqual([row.name, row.models, row.expires_at, row.limits], ["new", null, null, {
    requests_per_minute: 5,
  }]);
  assert.equal(deps.directory.resolve(key, admin.clock.now() + 7_200_000).kind, "caller");
  await assert.rejects(
    run(deps, setKey, { key_id: id, expires: "2020-01-01" }),
    refusedWith("invalid_value", /in the past/),
  );
  await assert.rejects(run(deps, setKey, { key_id: "key_none", name: "x" }), {
    error: "not_found",
  });
});

Deno.test("lists show what is spent, what is reached and who is paused; resume ends it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await run(deps, setProject, { project: "free", budgets: { daily: "4", monthly: "100" } });
  const { id: keyId } = await run(deps, createKey, {
    project: "free",
    budgets: { spend_brake: 2, spend_brake_floor: "3" },
  });
  await spend(admin, 2n * UNIT, keyId);
  const none = await run(deps, resumeKey, { key_id: keyId });
  assert.deepEqual([none.paused, none.spent.hour], [null, "2.00000000"]);
  await spend(admin, 3n * UNIT, keyId);
  assert.deepEqual(admin.pauses, [{ scope: "key", id: keyId }]);
  const { data: [key] } = await run(deps, listKeys);
  assert.deepEqual(key!.paused, {
    at: "2026-01-01T00:00:00.000Z",
    spent_in_hour: "5.00000000",
    usual_hour: "0.00000000",
    most: "3.00000000",
  });
  const free = async () => (await run(deps, listProjects)).data.find(({ id }) => id === "free")!;
  const { paused, reached_budgets, spent } = await free();
  assert.deepEqual({ paused, reached_budgets, spent }, {
    paused: null,
    reached_budgets: ["daily"],
    spent: { hour: "5.00000000", day: "5.00000000", month: "5.00000000" },
  });
  await assert.rejects(spend(admin, UNIT, keyId), { error: "insufficient_balance" });
  const project = await run(deps, resumeProject, { project: "free" });
  assert.deepEqual([project.reached_budgets, project.spent.day], [[], "0.00000000"]);
  assert.equal(project.spent.month, "5.00000000");
  await assert.rejects(spend(admin, UNIT, keyId), refusedWith("insufficient_balance", /brake/));
  const resumed = await run(deps, resumeKey, { key_id: keyId });
  assert.deepEqual([resumed.paused, resumed.spent.hour], [null, "0.00000000"]);
  await spend(admin, UNIT, keyId);
  assert.equal((await free()).spent.day, "1.00000000");
  const states = await deps.storage.spending.states();
  assert.deepEqual(states.map(({ scope, pause }) => [scope, pause]), [
    ["key", undefined],
    ["project", undefined],
  ]);
});

Deno.test("explain says what stops a project or key from spending, as a call would", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const { id } = await run(deps, createKey, { project: "free", budgets: { daily: "1" } });
  const refusals = async (asks: object) => {
    const { caller } = await run(deps, explainRoutes, { model: "small", ...asks });
    assert.equal(caller!.may_use, caller!.refusals.length === 0);
    return caller!.refusals;
  };
  await spend(admin, UNIT, id);
  assert.deepEqual(await refusals({ project: "free" }), []);
  assert.deepEqual(await refusals({ key: id }), ["the daily budget of the key is reached"]);
  await run(deps, setProject, { project: "free", budgets: { monthly: "1" } });
  const pause = { at: admin.clock.now(), spentE8: 9n, usualE8: 1n, mostE8: 5n };
  deps.spending.put({ scope: "key", id, pause, forgiven: {} });
  assert.deepEqual(await refusals({ project: "free" }), [
    "the monthly budget of the project is reached",
  ]);
  assert.deepEqual(await refusals({ key: id }), [
    "the monthly budget of the project is reached",
    "its spend brake has paused the key",
    "the daily budget of the key is reached",
  ]);
});
