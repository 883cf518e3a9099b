/**
 * Webhook secrets: made, made anew, told once.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { listProjects } from "../../src/admin/accounts/projects.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { rotateWebhookSecret } from "../../src/admin/accounts/webhook_secret.ts";
import { CATALOGUE, openTestAdmin, type TestAdmin } from "./test_admin.ts";

function rotate({ deps }: TestAdmin, project = "paying") {
  return runOperation(rotateWebhookSecret, { deps, input: { project } });
}

Deno.test("a first secret is stored as it is told and has none before it", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const { secret, ...told } = await rotate(admin);
  assert.deepEqual(told, {
    project: "paying",
    created_at: "2026-01-01T00:00:00.000Z",
    previous_until: null,
  });
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.equal(Buffer.from(secret.slice("whsec_".length), "base64").length, 32);
  assert.deepEqual(await admin.deps.storage.webhooks.secret("paying"), {
    projectId: "paying",
    secret,
    createdAt: admin.clock.now(),
    previous: undefined,
  });
  assert.equal(await admin.deps.storage.webhooks.secret("free"), undefined);
  const projects = await runOperation(listProjects, { deps: admin.deps, input: {} });
  assert.ok(!JSON.stringify(projects).includes("whsec_"));
});

Deno.test("a new secret leaves the one before signing for 24 hours", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const first = await rotate(admin);
  admin.clock.advance(3_600_000);
  const second = await rotate(admin);
  assert.notEqual(second.secret, first.secret);
  assert.equal(second.previous_until, "2026-01-02T01:00:00.000Z");
  const stored = await admin.deps.storage.webhooks.secret("paying");
  assert.equal(stored?.secret, second.secret);
  assert.deepEqual(stored.previous, {
    secret: first.secret,
    until: Date.UTC(2026, 0, 2, 1),
  });
});

Deno.test("two rotations at one moment follow each other", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  const [first, second] = await Promise.all([rotate(admin), rotate(admin)]);
  const stored = await admin.deps.storage.webhooks.secret("paying");
  assert.equal(stored?.secret, second.secret);
  assert.equal(stored.previous?.secret, first.secret);
});

Deno.test("a project that does not exist gets no secret", async () => {
  await using admin = await openTestAdmin({ catalogue: CATALOGUE });
  await assert.rejects(
    rotate(admin, "payin"),
    /There is no project 'payin': did you mean 'paying'/,
  );
});
