/**
 * Messages to callback URLs as operators see them, and send them again.
 *
 * @module
 */

import assert from "node:assert/strict";
import { rotateWebhookSecret } from "../../src/admin/accounts/webhook_secret.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { showVideo } from "../../src/admin/videos.ts";
import { listWebhooks, resendWebhook } from "../../src/admin/webhooks.ts";
import type { Rights } from "../../src/domain/roles.ts";
import { numberedId } from "../conformance/storage_video_samples.ts";
import { failVideo } from "./retried_videos.ts";
import { makeWebhook, SCENE } from "./changing_inputs.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";

const auditRows = async ({ deps }: TestAdmin) =>
  await deps.storage.audit.list({ limit: 10, operation: "webhooks.resend", subject: undefined });

Deno.test("a message is shown with its tries, without what its URL or its secret hold", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const { id, videoId } = await makeWebhook(admin, {
    lastTries: [
      { at: deps.clock.now(), milliseconds: 12, status: 500, error: "answered 500" },
      { at: deps.clock.now(), milliseconds: 3, status: null, error: "no route to 10.0.0.8" },
    ],
  });
  const at = new Date(deps.clock.now()).toISOString();
  const shown = {
    id,
    project: "free",
    video: videoId,
    event: "video.completed",
    receiver: "https://hooks.invalid",
    created_at: at,
    state: "given_up",
    tries: 9,
    tries_left: 0,
    next_try_at: null,
    last_tries: [
      { at, milliseconds: 12, status: 500, error: "answered 500" },
      { at, milliseconds: 3, status: null, error: "no route to 10.0.0.8" },
    ],
  };
  const { data } = await runOperation(listWebhooks, { deps, input: {} });
  assert.deepEqual(data, [shown]);
  const { secret } = (await deps.storage.webhooks.secret("free"))!;
  assert.ok(!JSON.stringify(data).includes(secret));
  assert.ok(!JSON.stringify(data).includes("kept"));

  // The film tells of it once it has ended; to a member not why nothing answered.
  const film = () => runOperation(showVideo, { deps, input: { video_id: videoId } });
  assert.equal((await film()).webhook, null);
  await failVideo(admin, videoId);
  assert.deepEqual((await film()).webhook, shown);
  const rights = { role: "member", project: "free" } as const;
  const asMember = { ...deps, origin: { ...deps.origin, rights } };
  const own = await runOperation(listWebhooks, { deps: asMember, input: {} });
  assert.deepEqual(own.data[0]!.last_tries.map(({ error }) => error), ["answered 500", null]);
  const other = { ...asMember.origin, rights: { role: "member", project: "paying" } as const };
  const theirs = await runOperation(listWebhooks, {
    deps: { ...deps, origin: other },
    input: {},
  });
  assert.deepEqual(theirs.data, []);
});

Deno.test("a callback URL is shown whole to who runs the gateway, to others without what it may hold", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const { videoId } = await makeWebhook(admin);
  const shownTo = async (rights: Rights) => {
    const origin = { ...deps.origin, rights };
    const asked = { deps, origin, input: { video_id: videoId } };
    return (await runOperation(showVideo, asked)).callback_url;
  };
  const whole = "https://hooks.invalid/ended?token=kept";
  for (const role of ["owner", "operator"] as const) assert.equal(await shownTo({ role }), whole);
  for (
    const rights of [{ role: "viewer" }, { role: "member", project: "free" }] satisfies Rights[]
  ) assert.equal(await shownTo(rights), "https://hooks.invalid");
});

Deno.test("messages are listed newest first, by project, state and page", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const ids: string[] = [];
  for (let index = 1; index <= 5; index++) {
    const { id } = await makeWebhook(admin, {
      id: numberedId("evt_", index),
      // Two of one moment come by their ids.
      createdAt: deps.clock.now() + Math.ceil(index / 2),
      projectId: index === 3 ? "paying" : "free",
      state: index === 2 ? "delivered" : "given_up",
    }, index);
    ids.push(id);
  }
  const listed = async (input: object) =>
    (await runOperation(listWebhooks, { deps, input })).data.map(({ id }) => ids.indexOf(id) + 1);
  assert.deepEqual(await listed({}), [5, 4, 3, 2, 1]);
  assert.deepEqual(await listed({ project: "free" }), [5, 4, 2, 1]);
  assert.deepEqual(await listed({ project: "paying", state: "given_up" }), [3]);
  assert.deepEqual(await listed({ state: "delivered" }), [2]);
  assert.deepEqual(await listed({ limit: 2 }), [5, 4]);
  assert.deepEqual(await listed({ limit: 2, after: ids[3] }), [3, 2]);
  assert.deepEqual(await listed({ project: "free", after: ids[3] }), [2, 1]);
  for (const after of [ids[2], "evt_nobodys", "\0"]) {
    await assert.rejects(listed({ project: "free", after }), { param: "after" });
  }
});

Deno.test("a message that was given up is sent again with all tries, and noted; none else is", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps, videos } = admin;
  let told = 0;
  videos.takeTelling(() => told++);
  const { id } = await makeWebhook(admin);
  const resend = (webhook_id: string) =>
    runOperation(resendWebhook, { deps, input: { webhook_id } });
  const now = deps.clock.now();
  const shown = await resend(id);
  assert.deepEqual(
    [shown.state, shown.tries, shown.tries_left, shown.next_try_at],
    ["waiting", 9, 9, new Date(now).toISOString()],
  );
  assert.equal(told, 1);
  const [due] = await deps.storage.webhooks.due(now, { most: 9, perProject: 9 });
  assert.deepEqual([due!.id, due!.roundFrom, due!.lastTries.length], [id, 9, 1]);

  // It is due already: nothing changes.
  await resend(id);
  assert.equal(told, 1);
  const rows = await auditRows(admin);
  assert.deepEqual(rows.map(({ subject, before, after }) => ({ subject, before, after })), [{
    subject: `webhook:${id}`,
    before: { state: "given_up", next_try_at: null },
    after: { state: "waiting", next_try_at: new Date(now).toISOString() },
  }]);
  for (const name of ["evt_nobodys", numberedId("evt_", 7)]) {
    await assert.rejects(resend(name), { code: "not_found", message: /tollgate webhooks list/ });
  }
});

Deno.test("what could not be signed is not sent again, and the refusal says what to do", async () => {
  await using admin = await openTestAdmin({ catalogue: SCENE });
  const { deps } = admin;
  const { id } = await makeWebhook(admin, { projectId: "paying" });
  const input = { webhook_id: id };
  await assert.rejects(runOperation(resendWebhook, { deps, input }), {
    code: "conflict",
    message: /tollgate projects webhook-secret paying/,
  });
  assert.deepEqual(await auditRows(admin), []);
  await runOperation(rotateWebhookSecret, { deps, input: { project: "paying" } });
  assert.equal((await runOperation(resendWebhook, { deps, input })).state, "waiting");
});
