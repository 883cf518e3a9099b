/**
 * What an empty data dir begins with: once, whole, however many ask for it.
 *
 * @module
 */

import assert from "node:assert/strict";
import { hashKey } from "../../src/accounts/project_key.ts";
import { setUpFirstRun } from "../../src/admin/first_run.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

Deno.test("setUpFirstRun() makes one project and one key when fifty ask at one time", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const made = (await Promise.all(Array.from({ length: 50 }, () => setUpFirstRun(deps))))
    .filter((one) => one !== undefined);
  assert.equal(made.length, 1);
  const [key, ...others] = await deps.storage.accounts.loadKeys();
  assert.deepEqual(others, []);
  assert.equal(key?.hash, hashKey(made[0]!.key));
  assert.deepEqual(deps.directory.keys().map(({ id }) => id), [key.id]);
  assert.deepEqual((await deps.storage.accounts.loadProjects()).map(({ id }) => id), ["default"]);
  const rows = await deps.storage.audit.list({ limit: 9 });
  assert.deepEqual(rows.map(({ operation, subject }) => [operation, subject]), [
    ["first_run", "project:default"],
  ]);
  const names = Object.keys(rows[0]!.after!);
  for (const name of ["provider builtin", "project default", `key ${key.id}`]) {
    assert.ok(names.includes(name), name);
  }
  const told = JSON.stringify(rows);
  assert.ok(!told.includes(made[0]!.key) && !told.includes(key.hash));
});

Deno.test("setUpFirstRun() leaves what is configured, or owned by a file, as it is", async () => {
  await using configured = await openTestAdmin({ catalogue: CATALOGUE });
  await using owned = await openTestAdmin({ catalogueOwner: "/etc/tollgate.yaml" });
  for (const { deps } of [configured, owned]) {
    const before = await deps.storage.audit.list({ limit: 9 });
    assert.equal(await setUpFirstRun(deps), undefined);
    assert.deepEqual(await deps.storage.audit.list({ limit: 9 }), before);
    assert.deepEqual(await deps.storage.accounts.loadKeys(), []);
  }
});

Deno.test("setUpFirstRun() makes all of it or nothing, so that no start is left without a key", async () => {
  await using admin = await openTestAdmin();
  const { deps } = admin;
  const full = {
    ...deps,
    commits: {
      ...deps.commits,
      pending: 0,
      flush: () => deps.commits.flush(),
      commit: () => Promise.resolve({ ok: false, reason: "full", message: "no room" } as const),
    },
  };
  await assert.rejects(setUpFirstRun(full), { error: "storage_full" });
  assert.deepEqual(deps.catalogue.current.models, []);
  assert.deepEqual(deps.directory.projects(), []);
  assert.match((await setUpFirstRun(deps))!.key, /^sk-tg-/);
});
