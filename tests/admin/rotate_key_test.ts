/**
 * Keys made anew: what works until when, what stays, and who may.
 *
 * @module
 */

import assert from "node:assert/strict";
import { createKey, disableKey, setKey, showKey } from "../../src/admin/accounts/keys.ts";
import { endGrace, rotateKey } from "../../src/admin/accounts/rotate_key.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { listAudit } from "../../src/admin/operations.ts";
import { startTestGateway } from "../support/gateway.ts";
import { withDataDir } from "../support/data_dir_history.ts";
import { CATALOGUE, openTestAdmin } from "./test_admin.ts";

const HOUR_MS = 3_600_000;

Deno.test("a key that is rotated works by both secrets until its grace ends", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  const made = await runOperation(createKey, { deps, input: { project: "paying", name: "web" } });
  const input = { key_id: made.id };
  const stateOf = (key: string) => deps.directory.resolve(key, clock.now()).kind;
  const limits = { concurrent: 3 };
  await runOperation(setKey, { deps, input: { ...input, limits } });
  assert.equal(stateOf(made.key), "caller");

  const second = await runOperation(rotateKey, { deps, input: { ...input, grace: "12h" } });
  assert.equal(second.id, made.id);
  assert.notEqual(second.key, made.key);
  assert.equal(second.name, "web");
  assert.deepEqual(second.limits, limits);
  assert.equal(second.earlier!.prefix, made.prefix);
  assert.equal(Date.parse(second.earlier!.until), clock.now() + 12 * HOUR_MS);
  for (const key of [made.key, second.key]) {
    const found = deps.directory.resolve(key, clock.now());
    assert.equal(found.kind === "caller" && found.caller.key.id, made.id);
  }
  clock.advance(12 * HOUR_MS - 1);
  assert.deepEqual([made.key, second.key].map(stateOf), ["caller", "caller"]);
  clock.advance(1);
  assert.deepEqual([made.key, second.key].map(stateOf), ["expired", "caller"]);
  assert.equal((await runOperation(showKey, { deps, input })).earlier, null);

  const third = await runOperation(rotateKey, { deps, input });
  assert.deepEqual([made.key, second.key, third.key].map(stateOf), ["unknown", "caller", "caller"]);
  const fourth = await runOperation(rotateKey, { deps, input });
  const all = [second.key, third.key, fourth.key];
  assert.deepEqual(all.map(stateOf), ["unknown", "caller", "caller"], "one earlier secret");
  const ended = await runOperation(endGrace, { deps, input });
  assert.equal(ended.earlier, null);
  assert.deepEqual(all.map(stateOf), ["unknown", "unknown", "caller"]);
  const fifth = await runOperation(rotateKey, { deps, input: { ...input, grace: "0" } });
  assert.equal(fifth.earlier, null);
  assert.deepEqual([fourth.key, fifth.key].map(stateOf), ["unknown", "caller"]);

  await runOperation(rotateKey, { deps, input });
  await runOperation(disableKey, { deps, input });
  assert.equal(stateOf(fifth.key), "disabled", "both are one key");

  const { data } = await runOperation(listAudit, { deps, input: {} });
  const told = JSON.stringify(data);
  assert.ok(data.filter(({ operation }) => operation === "keys.rotate").length === 5);
  const stored = JSON.stringify(await deps.storage.accounts.loadKeys());
  for (const { key } of [made, second, third, fourth, fifth]) {
    assert.ok(
      !told.includes(key.slice(13)) && !stored.includes(key.slice(13)),
      "the key is nowhere",
    );
  }
  for (const { hash, earlier } of deps.directory.keys()) {
    assert.ok(!told.includes(hash) && !told.includes(earlier!.hash), "nor is its hash");
  }
});

Deno.test("an expiry of the key's own holds for both, and a bad grace changes nothing", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps, clock } = admin;
  const made = await runOperation(createKey, { deps, input: { project: "free", expires: "1h" } });
  for (const grace of ["31d", "-1h", "soon", "", "2020-01-01"]) {
    const input = { key_id: made.id, grace };
    await assert.rejects(runOperation(rotateKey, { deps, input }), { code: "invalid_value" });
  }
  assert.equal(deps.directory.key(made.id)!.prefix, made.prefix);
  const { key } = await runOperation(rotateKey, { deps, input: { key_id: made.id } });
  clock.advance(HOUR_MS);
  for (const one of [made.key, key]) {
    assert.equal(deps.directory.resolve(one, clock.now()).kind, "expired");
  }
});

Deno.test("a member rotates his project's keys, and no others", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { deps } = admin;
  const rights = { role: "member", project: "free" } as const;
  const asMember = { ...deps, origin: { ...deps.origin, rights } };
  const own = await runOperation(createKey, { deps, input: { project: "free" } });
  const other = await runOperation(createKey, { deps, input: { project: "paying" } });
  const rotate = ({ id }: { readonly id: string }) =>
    runOperation(rotateKey, { deps: asMember, input: { key_id: id } });
  assert.equal((await rotate(own)).id, own.id);
  await assert.rejects(rotate(other), { code: "not_found" });
  const end = runOperation(endGrace, { deps: asMember, input: { key_id: other.id } });
  await assert.rejects(end, { code: "not_found" });
});

Deno.test("grace and what is counted outlive a restart", async () => {
  await withDataDir(async (dataDir) => {
    const first = await startTestGateway({ dataDir });
    const key = await first.key("default");
    const body = { model: "echo-1", messages: [{ role: "user", content: "hi" }] };
    const [id] = first.admin.directory.keys().filter(({ prefix }) => key.startsWith(prefix))
      .map(({ id }) => id);
    const made = await runOperation(rotateKey, { deps: first.admin, input: { key_id: id! } });
    await first.stop();
    await using gateway = await startTestGateway({ dataDir });
    for (const one of [key, made.key]) {
      const answer = await gateway.chat(body, { key: one });
      assert.equal(answer.status, 200, await answer.text());
    }
    await runOperation(endGrace, { deps: gateway.admin, input: { key_id: id! } });
    const refused = await gateway.chat(body, { key });
    assert.equal(refused.status, 401);
    await refused.body?.cancel();
  });
});
