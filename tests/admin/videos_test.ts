/**
 * Video tasks through their operations: listed, shown, deleted.
 *
 * @module
 */

import assert from "node:assert/strict";
import type * as z from "zod";
import type { Shown } from "../../src/documents/shown.ts";
import { showCall } from "../../src/admin/calls.ts";
import { deleteModel } from "../../src/admin/catalogue/models.ts";
import type { Operation } from "../../src/admin/base/operation.ts";
import { createKey, disableKey } from "../../src/admin/accounts/keys.ts";
import { creditProject } from "../../src/admin/accounts/credit_project.ts";
import { runOperation } from "../../src/admin/base/run_operation.ts";
import { verifyLedger } from "../../src/admin/ledger_check/check_ledger.ts";
import { deleteVideo, listVideos, retryVideo, showVideo } from "../../src/admin/videos.ts";
import { GatewayError } from "../../src/errors.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import { NO_WORK } from "../../src/domain/work.ts";
import { UpstreamError } from "../../src/domain/upstream_error.ts";
import { boughtBy } from "../../src/domain/call.ts";
import { priceWork } from "../../src/pricing/price_work.ts";
import { sampleTask, taskCall } from "../conformance/storage_video_samples.ts";
import { failVideo, takeCreates } from "./retried_videos.ts";
import { openTestAdmin, type TestAdmin } from "./test_admin.ts";

const FILMS = `
providers:
  - { id: builtin, kind: builtin }
models:
  - id: video-2
    kind: video
    routes:
      - id: builtin/video-2
        provider: builtin
        cost: { second: "0.01", image: "0.002" }
        sale: { second: { "1280x720": "0.03", "640x360": "0.01" }, request: "0.005", image: "0.004" }
        video: { sizes: [1280x720, 640x360], seconds: [4, 8] }
projects:
  - { id: paying }
  - { id: free, unlimited: true }
`;

/** 4 s of 1280x720 and the price of the request. */
const PRICE = 4n * 3_000_000n + 500_000n;

async function openVideos(): Promise<TestAdmin> {
  const admin = await openTestAdmin({ catalogue: FILMS });
  await admin.files.prepare();
  await run(admin, creditProject, { project: "paying", amount: "10" });
  return admin;
}

function run<Input extends z.ZodType, Output extends z.ZodType>(
  { deps }: TestAdmin,
  operation: Operation<Input, Output>,
  input: object = {},
): Promise<Shown<Output>> {
  return runOperation(operation, { deps, input });
}

async function create(admin: TestAdmin, parts: Partial<VideoTask> = {}): Promise<VideoTask> {
  const { clock, catalogue } = admin.deps;
  const callId = parts.callId ?? 1;
  const task = sampleTask({
    projectId: "paying",
    requestId: `req_aaaaaaaaaaaa${callId.toString(36)}`,
    createdAt: clock.now(),
    ...parts,
  });
  const call = taskCall(task, {
    projectId: task.projectId,
    keyId: task.keyId,
    requestId: task.requestId,
    heldE8: task.projectId === "free" ? 0n : PRICE,
    unlimited: task.projectId === "free",
    priceVersion: catalogue.current.route("builtin/video-2")!.prices.version,
    openedAt: clock.now(),
  });
  assert.ok(await admin.book.create(task, { call, idempotency: undefined }));
  return task;
}

/** Claims a task and ends it, with a film of 3 bytes. */
async function complete(admin: TestAdmin, { id }: VideoTask): Promise<void> {
  const { clock, deps: { catalogue } } = admin;
  await admin.book.change(id, (task) => ({
    set: { status: "in_progress", attempt: task.attempt + 1, startedAt: clock.now(), progress: 1 },
  }));
  clock.advance(2_000);
  await Deno.writeFile(admin.files.contentPath(id), new Uint8Array([1, 2, 3]));
  const { prices } = catalogue.current.route("builtin/video-2")!;
  const priced = priceWork(
    prices,
    boughtBy({ work: NO_WORK, video: { size: "1280x720", seconds: 4 } }),
  );
  await admin.book.change(id, () => ({
    set: {
      status: "completed",
      progress: 100,
      completedAt: clock.now(),
      file: { bytes: 3, sha256: "a".repeat(64), hasThumbnail: false, key: undefined },
      ...priced,
    },
    close: {
      result: "completed",
      billable: true,
      work: NO_WORK,
      usageSource: "reported",
      ...priced,
      firstByteMs: undefined,
      attempts: 1,
      errorCode: undefined,
    },
  }));
}

Deno.test("a finished task is shown with its film, its times and its amounts", async () => {
  await using admin = await openVideos();
  const task = await create(admin, { prompt: "A long prompt. ".repeat(50) });
  await complete(admin, task);
  assert.deepEqual(await run(admin, showVideo, { video_id: task.id }), {
    id: task.id,
    project: "paying",
    key: "key_1",
    request_id: "req_aaaaaaaaaaaa1",
    model: "video-2",
    provider: "builtin",
    route: "builtin/video-2",
    status: "completed",
    progress: 100,
    size: "1280x720",
    seconds: 4,
    prompt: "A long prompt. ".repeat(50),
    created_at: "2026-01-01T00:00:00.000Z",
    started_at: "2026-01-01T00:00:00.000Z",
    completed_at: "2026-01-01T00:00:02.000Z",
    expires_at: null,
    attempts: 1,
    failures: 0,
    restarts: 0,
    error: null,
    file: {
      path: admin.files.contentPath(task.id),
      bytes: 3,
      sha256: "a".repeat(64),
      removed_at: null,
    },
    currency: "USD",
    cost: "0.04000000",
    sale: "0.12500000",
    last_error: null,
    next_try_at: null,
    wishes: {},
    fields: {},
    has_reference: false,
    has_thumbnail: false,
    callback_url: null,
    webhook: null,
    queue: null,
    paused: null,
  });
  const call = await run(admin, showCall, {
    request_id: task.requestId,
  });
  assert.deepEqual(call.video, { size: "1280x720", seconds: 4 });
  assert.equal(call.charged, "0.12500000");
});

Deno.test("a removed film has no path any more, and an open task no film", async () => {
  await using admin = await openVideos();
  const [gone, open] = [await create(admin), await create(admin, { callId: 2 })];
  await complete(admin, gone);
  const at = admin.deps.clock.now();
  await admin.book.change(gone.id, () => ({ set: { fileRemovedAt: at, expiresAt: at } }));
  const shown = await run(admin, showVideo, { video_id: gone.id });
  assert.equal(shown.file?.path, null);
  assert.equal(shown.file?.removed_at, "2026-01-01T00:00:02.000Z");
  assert.equal(shown.expires_at, "2026-01-01T00:00:02.000Z");
  const queued = await run(admin, showVideo, { video_id: open.id });
  assert.deepEqual([queued.status, queued.file, queued.sale, queued.cost], [
    "queued",
    null,
    null,
    null,
  ]);
});

Deno.test("tasks are listed newest first, by project, status and page", async () => {
  await using admin = await openVideos();
  const ids: string[] = [];
  for (let callId = 1; callId <= 5; callId++) {
    const projectId = callId === 3 ? "free" : "paying";
    ids.push((await create(admin, { callId, projectId })).id);
  }
  await complete(admin, sampleTask({ callId: 2 }));
  const listed = async (input: object) =>
    (await run(admin, listVideos, input)).data.map(({ id }) => ids.indexOf(id) + 1);
  assert.deepEqual(await listed({}), [5, 4, 3, 2, 1]);
  assert.deepEqual(await listed({ project: "paying" }), [5, 4, 2, 1]);
  assert.deepEqual(await listed({ status: "completed" }), [2]);
  assert.deepEqual(await listed({ limit: 2 }), [5, 4]);
  // A query has only text.
  assert.deepEqual(await listed({ limit: "2", after: ids[3] }), [3, 2]);
  assert.deepEqual(await listed({ project: "paying", after: ids[3] }), [2, 1]);
  for (const limit of [0, 1001, 1.5, "x", ""]) {
    await assert.rejects(listed({ limit }), { error: "invalid_value", param: "limit" });
  }
  await assert.rejects(listed({ status: "done" }), { param: "status" });
  await assert.rejects(listed({ project: "payin" }), /did you mean 'paying'\?/);
  await assert.rejects(
    listed({ after: "video_none" }),
    /There is no video 'video_none' to go on behind: 'after' takes the last_id/,
  );
});

Deno.test("a deleted task is gone with its film, and an open one is not charged", async () => {
  await using admin = await openVideos();
  const [done, open] = [await create(admin), await create(admin, { callId: 2 })];
  await complete(admin, done);
  const { deps } = admin;
  assert.equal(deps.ledger.balanceOf("paying").held, PRICE);
  assert.deepEqual(await run(admin, deleteVideo, { video_id: open.id }), {
    id: open.id,
    deleted: true,
  });
  const balance = deps.ledger.balanceOf("paying");
  assert.deepEqual([balance.held, balance.avail], [0n, 1_000_000_000n - PRICE]);
  await run(admin, deleteVideo, { video_id: done.id });
  await assert.rejects(Deno.stat(admin.files.contentPath(done.id)), Deno.errors.NotFound);
  for (const id of [done.id, open.id, "video_none", "../../x", "video_\0"]) {
    await assert.rejects(run(admin, deleteVideo, { video_id: id }), { error: "not_found" });
    await assert.rejects(run(admin, showVideo, { video_id: id }), { error: "not_found" });
  }
  assert.deepEqual((await run(admin, listVideos)).data, []);
});

Deno.test("nobody who changes anything in a way of its own waits for a database that is away", async () => {
  await using admin = await openVideos();
  const open = await create(admin);
  const away = new GatewayError("storage_away", "It does not answer");
  const changes = { ...admin.deps.changes, whenAnswered: () => Promise.reject(away) };
  const commits = {
    commit: () => assert.fail("it is not asked to write"),
    flush: () => Promise.resolve(),
  } as unknown as typeof admin.deps.commits;
  const deps = { ...admin.deps, changes, commits };
  const input = { video_id: open.id };
  const credit = { project: "paying", amount: "1" };
  await assert.rejects(runOperation(creditProject, { deps, input: credit }), {
    code: "storage_away",
  });
  await assert.rejects(runOperation(deleteVideo, { deps, input }), { code: "storage_away" });
  await assert.rejects(runOperation(retryVideo, { deps, input }), { code: "storage_away" });
  assert.equal((await run(admin, showVideo, input)).status, "queued");
});

Deno.test("ledger verify prices films again and takes open tasks for no difference", async () => {
  await using admin = await openVideos();
  const done = await create(admin);
  await create(admin, { callId: 2 });
  await create(admin, { callId: 3, projectId: "free" });
  await complete(admin, done);
  await run(admin, deleteVideo, { video_id: (await create(admin, { callId: 4 })).id });
  const verified = await run(admin, verifyLedger, {});
  assert.deepEqual(verified.differences, []);
  assert.equal(verified.checked.calls, 4);
  assert.equal(verified.checked.open_calls, 2);
  assert.equal(verified.checked.memory, true);
});

Deno.test("a task that failed is shown with what went wrong and when it is tried again", async () => {
  await using admin = await openVideos();
  const task = await create(admin);
  const { clock, book, health } = admin;
  const error = new UpstreamError("broken", "The upstream could not be reached", {
    cause: new Error("Connection refused"),
  });
  const { id: taskId, requestId, provider, route } = task;
  admin.videos.note(
    { kind: "attempt_failed", failures: 1, error, taskId, requestId, provider, route, attempt: 1 },
    clock.now(),
  );
  const expected = {
    at: "2026-01-01T00:00:00.000Z",
    route: "builtin/video-2",
    message: "The upstream could not be reached: Connection refused",
  };
  const waiting = (notBefore: number) => book.change(taskId, () => ({ set: { notBefore } }));
  const shown = () => run(admin, showVideo, { video_id: taskId });

  await waiting(clock.now() + 5_000);
  assert.deepEqual((await shown()).last_error, expected);
  assert.equal((await shown()).next_try_at, "2026-01-01T00:00:05.000Z");

  health.record(route, {
    startedAt: clock.monotonic(),
    outcome: "operator",
    retryAfterSeconds: undefined,
  });
  assert.equal((await shown()).next_try_at, "2026-01-01T00:01:00.000Z");

  clock.advance(60_000);
  assert.equal((await shown()).next_try_at, null, "at once");
  assert.deepEqual((await shown()).last_error, expected);
});

Deno.test("a failed film is ordered again once, as its key, and charged once", async () => {
  await using admin = await openVideos();
  const { id: keyId } = await run(admin, createKey, { project: "paying", name: "films" });
  const parts = { keyId, model: "video-2", size: "1280x720", seconds: 4 };
  const failed = await create(admin, parts);
  const retry = (video_id = failed.id) => run(admin, retryVideo, { video_id });
  await assert.rejects(retry(), { error: "conflict", message: /start it first|is queued/ });
  await failVideo(admin, failed.id);
  await assert.rejects(retry(), { error: "conflict", message: /start it first/ });
  takeCreates(admin);
  const [one, two] = await Promise.all([retry(), retry()]);
  assert.equal(one.id, two.id);
  assert.deepEqual([one.repeated, two.repeated].sort(), [false, true]);
  assert.equal(admin.deps.ledger.balanceOf("paying").held, PRICE, "one hold for both");
  const again = await run(admin, showVideo, { video_id: one.id });
  assert.deepEqual([again.status, again.key, again.prompt, again.size], [
    "queued",
    keyId,
    failed.prompt,
    "1280x720",
  ]);

  // Long after, and when its caller has seen it: still that one.
  admin.clock.advance(3_600_000);
  await admin.book.change(one.id, () => ({ set: { isIdUsed: true } }));
  assert.deepEqual(await retry(), { id: one.id, retry_of: failed.id, repeated: true });
  await assert.rejects(retry(one.id), { error: "conflict", message: /is queued/ });

  await failVideo(admin, one.id);
  assert.equal(admin.deps.ledger.balanceOf("paying").held, 0n);
  const third = await retry();
  assert.equal(third.repeated, false);
  // That one is the order again of both.
  assert.deepEqual(await retry(one.id), { id: third.id, retry_of: one.id, repeated: true });
  await failVideo(admin, third.id);
  // Within minutes, and nobody has seen the third.
  const fourth = await retry(third.id);
  assert.equal(fourth.repeated, false);
  assert.notEqual(fourth.id, third.id);
  for (const id of [failed.id, one.id, third.id]) {
    assert.deepEqual(await retry(id), { id: fourth.id, retry_of: id, repeated: true });
  }
  assert.equal(admin.deps.ledger.balanceOf("paying").held, PRICE, "one hold for all of them");
  const { data } = await run(admin, listVideos);
  assert.equal(data.length, 4);
  assert.deepEqual((await run(admin, verifyLedger, {})).differences, []);
});

Deno.test("a film whose image is gone, or whose key is off, is not ordered again", async () => {
  await using admin = await openVideos();
  const { id: keyId } = await run(admin, createKey, { project: "paying", name: "films" });
  takeCreates(admin);
  const drawn = await create(admin, { keyId, referenceType: "image/png" });
  const other = await create(admin, { keyId, id: `video_${"c".repeat(26)}`, callId: 2 });
  for (const { id } of [drawn, other]) await failVideo(admin, id);
  await assert.rejects(run(admin, retryVideo, { video_id: drawn.id }), {
    error: "conflict",
    message: /image, which is not kept/,
  });
  await run(admin, disableKey, { key_id: keyId });
  await assert.rejects(run(admin, retryVideo, { video_id: other.id }), {
    error: "conflict",
    message: /is disabled/,
  });
  assert.equal((await run(admin, listVideos)).data.length, 2);
});

Deno.test("whoever deletes a model with open tasks is told what becomes of them", async () => {
  await using admin = await openVideos();
  await create(admin);
  await create(admin, { id: `video_${"b".repeat(26)}`, callId: 2 });
  const dry = await run(admin, deleteModel, { id: "video-2", dry_run: true });
  assert.deepEqual(dry.warnings, []);
  const { warnings } = await run(admin, deleteModel, { id: "video-2" });
  assert.deepEqual(warnings, [
    "2 video tasks wait for a route that is gone: those that no other takes fail in 24 hours, " +
    "unless it comes back. See tollgate videos list",
  ]);
});
