/**
 * Projects through their operations: settings, credit, switches.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as z from "zod";
import type { Shown } from "../../src/documents/shown.ts";
import type { AdminDeps } from "../../src/admin/base/deps.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import {
  createProject,
  disableProject,
  enableProject,
  listProjects,
  setProject,
} from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import type { GatewayError } from "../../src/errors.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

function run<Input extends z.ZodType, Output extends z.ZodType>(
  deps: AdminDeps,
  operation: Operation<Input, Output>,
  input: object = {},
): Promise<Shown<Output>> {
  return runOperation(operation, { deps, input });
}

function refusedWith(error: GatewayError["error"], message: RegExp) {
  return (thrown: GatewayError) => {
    assert.equal(thrown.error, error);
    assert.match(thrown.message, message);
    return true;
  };
}

Deno.test("a created project is live, stored and has no balance", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const { warnings, ...row } = await run(deps, createProject, {
    id: "shop",
    models: ["small", "gpt-*"],
    limits: { requests_per_minute: 60 },
  });
  assert.deepEqual(row, {
    kept: { bytes: 0, most_bytes: 2 * 1024 ** 2 },
    id: "shop",
    balance: "0.00000000",
    held: "0.00000000",
    currency: "USD",
    unlimited: false,
    disabled: false,
    models: ["small", "gpt-*"],
    limits: { requests_per_minute: 60 },
    budgets: {},
    quotas: {},
    spent: { hour: "0.00000000", day: "0.00000000", month: "0.00000000" },
    paused: null,
    reached_budgets: [],
    created_at: "2026-01-01T00:00:00.000Z",
  });
  assert.deepEqual(warnings, ["No model fits 'gpt-*' now: see `tollgate models list`"]);
  const stored = await deps.storage.accounts.loadProjects();
  assert.deepEqual(stored.find(({ id }) => id === "shop"), deps.directory.project("shop"));
  assert.deepEqual((await run(deps, listProjects)).data.map(({ id }) => id), [
    "free",
    "paying",
    "shop",
  ]);
});

Deno.test("a project is not created twice, nor with a bad id or unknown fields", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await assert.rejects(
    run(deps, createProject, { id: "paying" }),
    refusedWith("conflict", /'paying' exists already: .*projects set/),
  );
  for (const id of ["", "Shop", "-a", "a b", "../x", "x".repeat(65)]) {
    await assert.rejects(run(deps, createProject, { id }), refusedWith("invalid_value", /^id: /));
  }
  await assert.rejects(
    run(deps, createProject, { id: "a", balance: "5", limits: { concurrent: 0 } }),
    refusedWith("invalid_value", /limits\.concurrent: .*unknown field balance/),
  );
  assert.equal(deps.directory.projects().length, 2);
});

Deno.test("set changes what it names and nothing else", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await run(deps, setProject, { project: "paying", limits: { concurrent: 3 }, models: ["small"] });
  await run(deps, setProject, { project: "paying", limits: { tokens_per_minute: 5 } });
  const row = await run(deps, setProject, {
    project: "paying",
    unlimited: true,
    limits: { concurrent: null },
  });
  assert.deepEqual(row.limits, { tokens_per_minute: 5 });
  assert.deepEqual(row.models, ["small"]);
  assert.equal(row.unlimited, true);
  assert.equal(deps.directory.project("paying")?.unlimited, true);
  await assert.rejects(
    run(deps, setProject, { project: "payin" }),
    refusedWith("not_found", /did you mean 'paying'\?/),
  );
});

Deno.test("changes at the same moment do not lose each other", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await Promise.all([
    run(deps, setProject, { project: "paying", limits: { concurrent: 3 } }),
    run(deps, setProject, { project: "paying", limits: { tokens_per_minute: 5 } }),
    run(deps, disableProject, { project: "paying" }),
  ]);
  const [stored] = (await deps.storage.accounts.loadProjects()).filter(({ id }) => id === "paying");
  assert.deepEqual(stored?.limits, { concurrent: 3, tokensPerMinute: 5 });
  assert.equal(stored?.disabled, true);
  assert.deepEqual(stored, deps.directory.project("paying"));
});

Deno.test("credit adds once per reference", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const credit = { project: "paying", amount: "25.5", reference: "invoice-1" };
  const first = await run(deps, creditProject, credit);
  assert.equal(first.balance, "25.50000000");
  assert.equal(first.repeated, false);
  const again = await run(deps, creditProject, credit);
  assert.equal(again.balance, "25.50000000");
  assert.equal(again.credited, "25.50000000");
  assert.equal(again.repeated, true);
  await assert.rejects(
    run(deps, creditProject, { ...credit, amount: "26" }),
    refusedWith("conflict", /'invoice-1'.*another amount/),
  );
  await run(deps, creditProject, { project: "paying", amount: "0.00000001" });
  const balances = await deps.storage.accounts.loadBalances();
  assert.equal(balances.find(({ projectId }) => projectId === "paying")?.avail, 2_550_000_001n);
});

Deno.test("credit refuses what is no positive amount, and what no balance can hold", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  for (const amount of ["0", "-1", "1e3", "1.123456789", "", "NaN", 5]) {
    await assert.rejects(
      run(deps, creditProject, { project: "paying", amount }),
      refusedWith("invalid_value", /^amount: /),
    );
  }
  const most = { project: "paying", amount: "9999999999.99999999" };
  await run(deps, creditProject, most);
  await assert.rejects(run(deps, creditProject, most), refusedWith("conflict", /would exceed/));
  await assert.rejects(
    run(deps, creditProject, { ...most, reference: "r" }),
    refusedWith("conflict", /would exceed/),
  );
  assert.equal(deps.ledger.balanceOf("paying").avail, 999_999_999_999_999_999n);
  await assert.rejects(
    run(deps, creditProject, { project: "nobody", amount: "1" }),
    refusedWith("not_found", /no project 'nobody'/),
  );
});

Deno.test("a file that owns the catalogue leaves credit and switches editable", async () => {
  await using admin = await openTestAdmin({
    catalogue: CATALOGUE,
    catalogueOwner: "/etc/tollgate.yaml",
  });
  const { deps } = admin;
  const refused = refusedWith("conflict", /\/etc\/tollgate\.yaml owns them.*SIGHUP/);
  await assert.rejects(run(deps, createProject, { id: "shop" }), refused);
  await assert.rejects(run(deps, setProject, { project: "paying", unlimited: true }), refused);
  assert.equal((await run(deps, disableProject, { project: "paying" })).disabled, true);
  assert.equal((await run(deps, enableProject, { project: "paying" })).disabled, false);
  const credited = await run(deps, creditProject, { project: "paying", amount: "1" });
  assert.equal(credited.balance, "1.00000000");
});

Deno.test("a project's own quotas are live, stored and told until they are taken away", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const made = await run(deps, createProject, { id: "shop", quotas: { video_bytes: "50GB" } });
  assert.deepEqual(made.quotas, { video_bytes: 50_000_000_000 });
  assert.equal(made.kept.most_bytes, 2 * 1024 ** 2, "what all projects have");
  const set = await run(deps, setProject, { project: "shop", quotas: { kept_bytes: 1_000 } });
  assert.deepEqual(set.quotas, { kept_bytes: 1_000, video_bytes: 50_000_000_000 });
  assert.equal(set.kept.most_bytes, 1_000);
  assert.equal(deps.room.mostBytesOf("shop"), 1_000);
  assert.equal(deps.room.mostBytesOf("paying"), 2 * 1024 ** 2);
  const stored = async () =>
    (await deps.storage.accounts.loadProjects()).find(({ id }) => id === "shop")?.quotas;
  assert.deepEqual(await stored(), { keptBytes: 1_000, videoBytes: 50_000_000_000 });
  for (const kept_bytes of [-1, 1.5, "much", 2 ** 51]) {
    await assert.rejects(
      run(deps, setProject, { project: "shop", quotas: { kept_bytes } }),
      refusedWith("invalid_value", /kept_bytes/),
    );
  }
  const taken = await run(deps, setProject, {
    project: "shop",
    quotas: { kept_bytes: null, video_bytes: 0 },
  });
  assert.deepEqual(taken.quotas, { video_bytes: 0 });
  assert.equal(taken.kept.most_bytes, 2 * 1024 ** 2);
  assert.deepEqual(await stored(), { videoBytes: 0 });
});
