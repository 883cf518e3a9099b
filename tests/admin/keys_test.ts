/**
 * Project keys through their operations.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as z from "zod";
import { explainRoutes } from "../../src/admin/explain.ts";
import {
  createKey,
  deleteKey,
  disableKey,
  enableKey,
  findKeys,
  listKeys,
  resumeKey,
  setKey,
} from "../../src/admin/accounts/keys.ts";
import type { GatewayError } from "../../src/errors.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

Deno.test("a key is told once and stored as a hash", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const input = { project: "paying", name: "web", models: ["small", "nothing"], expires: "30d" };
  const created = await runOperation(createKey, { deps, input });
  assert.match(created.key, /^sk-tg-[A-Za-z0-9_-]{43}$/);
  assert.match(created.id, /^key_[a-z2-7]{12}$/);
  assert.equal(created.prefix, created.key.slice(0, 12));
  assert.equal(created.expires_at, "2026-01-31T00:00:00.000Z");
  assert.deepEqual(created.warnings, [
    "No model fits 'nothing' now: see `tollgate models list`",
  ]);
  assert.equal(deps.directory.resolve(created.key, deps.clock.now()).kind, "caller");
  const { data: listed } = await runOperation(listKeys, { deps, input: { project: "paying" } });
  assert.equal(listed.length, 1);
  const shown = JSON.stringify(listed) + JSON.stringify(await deps.storage.accounts.loadKeys());
  assert.ok(!shown.includes(created.key.slice(13)), "the key is nowhere");
  assert.ok(!JSON.stringify(listed).includes(deps.directory.keys()[0]!.hash), "nor is its hash");
});

Deno.test("a key's name has no control characters", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  for (const name of ["a\0b", "\0", "a\nb", "\u001b[2J", "\u007f", "\u009b31m"]) {
    await assert.rejects(
      runOperation(createKey, { deps, input: { project: "free", name } }),
      { code: "invalid_value" },
      JSON.stringify(name),
    );
  }
  assert.deepEqual(deps.directory.keys(), []);
  const { name } = await runOperation(createKey, {
    deps,
    input: { project: "free", name: "Ä 漢 💥" },
  });
  assert.equal(name, "Ä 漢 💥");
});

Deno.test("a switched or deleted key is refused at once", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  const { key, id } = await runOperation(createKey, { deps, input: { project: "free" } });
  const state = () => deps.directory.resolve(key, clock.now()).kind;
  await runOperation(disableKey, { deps, input: { key_id: id } });
  assert.equal(state(), "disabled");
  await runOperation(enableKey, { deps, input: { key_id: id } });
  assert.equal(state(), "caller");
  await runOperation(deleteKey, { deps, input: { key_id: id } });
  assert.equal(state(), "unknown");
  assert.deepEqual(await deps.storage.accounts.loadKeys(), []);
  await assert.rejects(
    runOperation(deleteKey, { deps, input: { key_id: id } }),
    /no key .*keys list/,
  );
});

Deno.test("an expired key is listed as such", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  await runOperation(createKey, { deps, input: { project: "free", expires: "2026-01-02" } });
  clock.advance(86_400_000);
  const { data: [row] } = await runOperation(listKeys, { deps, input: {} });
  assert.equal(row?.expired, true);
});

Deno.test("a key is not made for nobody, nor to expire in the past", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  await assert.rejects(runOperation(createKey, { deps, input: { project: "no" } }), /no project/);
  for (const expires of ["2025-12-31", "soon", "2026-02-30", "2026-03-01T10:00"]) {
    const input = { project: "free", expires };
    await assert.rejects(runOperation(createKey, { deps, input }), { param: "expires" });
  }
  assert.deepEqual(deps.directory.keys(), []);
});

Deno.test("an operation on a key takes its whole id, and nothing that begins like it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const { id, prefix, key } = await runOperation(createKey, { deps, input: { project: "free" } });
  const before = deps.directory.keys();
  for (const key_id of [id.slice(0, -1), id.slice(0, 5), prefix, key, `${id}x`]) {
    for (const operation of [deleteKey, disableKey, enableKey, setKey, resumeKey]) {
      await assert.rejects(
        runOperation<z.ZodType, z.ZodType>(operation, { deps, input: { key_id } }),
        (error: GatewayError) => {
          assert.equal(error.error, "not_found");
          assert.ok(!error.message.includes(key));
          return true;
        },
      );
    }
    const input = { model: "small", key: key_id };
    await assert.rejects(runOperation(explainRoutes, { deps, input }), { error: "not_found" });
  }
  assert.deepEqual(deps.directory.keys(), before);
});

Deno.test("keys.find shows the keys that begin so, and none for what every key begins with", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const one = await runOperation(createKey, { deps, input: { project: "free" } });
  const find = async (begins: string) =>
    (await runOperation(findKeys, { deps, input: { begins } })).keys.map(({ id }) => id);
  assert.deepEqual(await find(one.id), [one.id]);
  assert.deepEqual(await find(one.id.slice(0, 10)), [one.id]);
  assert.deepEqual(await find(one.prefix), [one.id]);
  for (const begins of ["key_", "sk-tg", "sk-tg-", one.key]) {
    assert.deepEqual(await find(begins), []);
  }
});
