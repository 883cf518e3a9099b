import assert from "node:assert/strict";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import { COMPLETED, contentOf, fakeFilm, UNDER_WAY } from "../../support/fake_video_upstream.ts";
import { withdrawn } from "../../support/video_endings.ts";
import { FILM_COST_E8, FILM_SALE_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };
const ONLY_ACME = { routes: [videoRoute("acme")] };

Deno.test("createUpstreamExecutor() starts a job, stores it before the first poll, and keeps its film", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  const seen: unknown[] = [];
  const { book } = await world.start();
  const id = `video_${"a".repeat(26)}`;
  await world.files.writeReference(id, new Uint8Array([1, 2, 3]));
  const task = await world.create({ ...AT_ACME, id, referenceType: "image/png" });
  world.acme.onStatus = async () => {
    const stored = await world.stored(task);
    seen.push([stored.job?.id, stored.progress]);
    return seen.length < 3 ? UNDER_WAY : COMPLETED;
  };
  const done = await world.untilEnded(task);
  assert.equal(done.status, "completed");
  assert.deepEqual(seen.map((row) => (row as unknown[])[0]), ["job_1", "job_1", "job_1"]);
  assert.equal((seen.at(-1) as unknown[])[1], 40);
  const [order] = world.acme.orders;
  assert.equal(order!.prompt, task.prompt);
  assert.equal(order!.size, "640x360");
  assert.equal(order!.seconds, 4);
  assert.equal(order!.reference!.mediaType, "image/png");
  assert.deepEqual([...order!.reference!.bytes], [1, 2, 3]);
  assert.deepEqual(await Deno.readFile(world.files.contentPath(task.id)), fakeFilm());
  assert.deepEqual(await world.fileNames(), [`${task.id}.mp4`]);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  assert.equal(book.callOf(task.id), undefined);
  assert.equal(world.acme.cancelled.length, 0);
});

Deno.test("createUpstreamExecutor() goes on asking when the upstream cannot be asked for hours", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const task = await world.create(AT_ACME);
  let isAway = true;
  world.acme.onStatus = () => {
    if (isAway) throw new UpstreamError("broken", "connection refused");
    return COMPLETED;
  };
  await world.timeline.until(() => world.acme.polled.length >= 200, 2_000_000);
  const waiting = await world.stored(task);
  assert.equal(waiting.status, "in_progress");
  assert.equal(waiting.failures, 0);
  assert.equal(waiting.attempt, 1);
  const told = world.events.filter(({ kind }) => kind === "poll_failed").length;
  assert.ok(told >= 7 && told <= 9, `told ${told} times`);
  isAway = false;
  assert.equal((await world.untilEnded(task)).status, "completed");
  assert.equal(world.acme.orders.length, 1);
});

Deno.test("createUpstreamExecutor() fails a task in the upstream's words when it says failed", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme"), videoRoute("zeta")] });
  await world.start();
  const task = await world.create({ ...AT_ACME, callbackUrl: "https://example.test/" });
  world.acme.onStatus = () => ({
    status: "failed",
    progress: undefined,
    error: { code: "moderation_blocked", message: "Blocked by the vendor's moderation" },
  });
  const failed = await world.untilEnded(task);
  assert.equal(failed.status, "failed");
  assert.deepEqual(failed.error, {
    code: "moderation_blocked",
    message: "Blocked by the vendor's moderation",
  });
  assert.equal(failed.failures, 0);
  assert.equal(world.acme.orders.length, 1);
  assert.equal(world.zeta.orders.length, 0);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
  const [message] = await world.storage.webhooks.due(world.timeline.clock.now(), {
    most: 10,
    perProject: 10,
  });
  assert.equal(message!.event, "video.failed");
});

for (
  const [status, code, expected] of [
    [400, undefined, "invalid_request"],
    [422, undefined, "unprocessable_entity"],
    [413, undefined, "request_too_large"],
    [403, "content_policy_violation", "content_policy_violation"],
  ] as const
) {
  Deno.test(`createUpstreamExecutor() fails a task at once that the upstream refuses with ${status}`, async () => {
    await using world = await VideoWorld.create(ONLY_ACME);
    await world.start();
    const task = await world.create(AT_ACME);
    world.acme.onStart = () => {
      throw new UpstreamError("caller", "internal words", {
        status,
        code,
        publicMessage: "The prompt is not allowed",
      });
    };
    const failed = await world.untilEnded(task);
    assert.deepEqual(failed.error, { code: expected, message: "The prompt is not allowed" });
    assert.equal(failed.job, undefined);
    assert.equal(world.acme.orders.length, 1);
    assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
  });
}

Deno.test("createUpstreamExecutor() tells once of a status whose word it does not know, and goes on asking", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  let asked = 0;
  world.acme.onStatus = () =>
    ++asked < 5 ? { ...UNDER_WAY, unknownStatus: asked < 3 ? "baking" : "cooling" } : COMPLETED;
  const done = await world.untilEnded(await world.create(AT_ACME));
  assert.equal(done.status, "completed");
  const told = world.events.filter((event) => event.kind === "unknown_status");
  assert.deepEqual(told.map(({ job, status }) => [job, status]), [["job_1", "baking"]]);
});

Deno.test("createUpstreamExecutor() starts a job again that the upstream has lost, three times at most", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const once = await world.create(AT_ACME);
  const lost = { status: "lost", progress: undefined, error: undefined } as const;
  world.acme.onStatus = (job) => job === "job_1" ? lost : COMPLETED;
  const done = await world.untilEnded(once);
  assert.equal(done.status, "completed");
  assert.equal(done.failures, 1);
  assert.equal(done.job!.id, "job_2");
  assert.deepEqual(world.acme.cancelled, ["job_1"], "should it be there all the same");

  world.acme.onStatus = () => lost;
  const always = await world.create(AT_ACME);
  const failed = await world.untilEnded(always, 600_000);
  assert.equal(failed.error!.code, "PROVIDER_TEMPORARILY_UNAVAILABLE");
  assert.equal(world.acme.orders.length, 5);
  assert.deepEqual(await world.ledgerOf(always), ["release 0", `loss ${FILM_SALE_E8}`]);
  assert.deepEqual(world.acme.cancelled, ["job_1", "job_3", "job_4", "job_5"]);
});

Deno.test("createUpstreamExecutor() goes on with a download where it was cut", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const task = await world.create(AT_ACME);
  const film = fakeFilm(5_000);
  film[4_000] = 99;
  const cut = new UpstreamError("broken", "cut");
  let tries = 0;
  world.acme.onContent = (_job, from) =>
    contentOf(film, { from, etag: '"one"', ...(++tries < 9 ? { until: from + 500, cut } : {}) });
  assert.equal((await world.untilEnded(task)).status, "completed");
  assert.deepEqual(await Deno.readFile(world.files.contentPath(task.id)), film);
  assert.deepEqual(world.acme.fetched.map(({ from }) => from), [
    0,
    500,
    1_000,
    1_500,
    2_000,
    2_500,
    3_000,
    3_500,
    4_000,
  ]);
  assert.deepEqual([...new Set(world.acme.fetched.slice(1).map(({ etag }) => etag))], ['"one"']);
});

Deno.test("createUpstreamExecutor() starts a download over when the upstream does, or the film is another", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const task = await world.create(AT_ACME);
  const first = fakeFilm(2_000);
  const second = fakeFilm(1_800).fill(8, 20);
  let tries = 0;
  world.acme.onContent = () =>
    ++tries === 1
      ? contentOf(first, { until: 900, cut: new UpstreamError("broken", "cut") })
      : contentOf(second);
  const done = await world.untilEnded(task);
  assert.equal(done.file!.bytes, 1_800);
  assert.deepEqual(await Deno.readFile(world.files.contentPath(task.id)), second);
});

Deno.test("createUpstreamExecutor() takes a film that ends too early for a cut one", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const task = await world.create(AT_ACME);
  let tries = 0;
  world.acme.onContent = (_job, from) =>
    contentOf(fakeFilm(), { from, ...(++tries === 1 ? { until: 700 } : {}) });
  assert.equal((await world.untilEnded(task)).file!.bytes, 1_000);
  assert.deepEqual(world.acme.fetched.map(({ from }) => from), [0, 700]);
});

Deno.test("createUpstreamExecutor() waits for a film that is not there yet, but not for ever; it is a loss then", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const soon = await world.create(AT_ACME);
  let asked = 0;
  world.acme.onContent = () => ++asked < 10 ? undefined : contentOf(fakeFilm());
  assert.equal((await world.untilEnded(soon)).status, "completed");

  world.acme.onContent = () => undefined;
  const never = await world.create(AT_ACME);
  const failed = await world.untilEnded(never, 1_200_000);
  assert.equal(failed.status, "failed");
  assert.equal(failed.failures, 2);
  assert.equal(world.acme.orders.length, 2);
  assert.deepEqual(await world.ledgerOf(never), [
    "release 0",
    `loss ${FILM_SALE_E8}`,
  ]);
  const call = await world.storage.calls.find(never.callId);
  assert.ok(call?.state === "released");
  assert.equal(call.chargedE8, 0n);
  assert.equal(call.costE8, FILM_COST_E8);
  assert.equal(call.usageSource, "estimated");
  assert.deepEqual(world.acme.cancelled, ["job_2"], "nobody fetches it any more");
});

for (
  const [says, film] of [
    ["an error page", new TextEncoder().encode('{"error":"no such file","detail":"gone"}')],
    ["nothing", new Uint8Array()],
  ] as const
) {
  Deno.test(`createUpstreamExecutor() keeps no film that is ${says}`, async () => {
    await using world = await VideoWorld.create(ONLY_ACME);
    await world.start();
    const task = await world.create(AT_ACME);
    world.acme.onContent = () => contentOf(film);
    const failed = await world.untilEnded(task, 600_000);
    assert.equal(failed.status, "failed");
    assert.equal(failed.file, undefined);
    await world.untilIdle();
    assert.deepEqual(await world.fileNames(), []);
  });
}

Deno.test("createUpstreamExecutor() waits out a busy upstream without counting failures", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  await world.start();
  const task = await world.create(AT_ACME);
  world.acme.onStart = () => {
    if (world.acme.orders.length < 6) {
      throw new UpstreamError("busy", "full", { status: 429, retryAfterSeconds: 20 });
    }
  };
  const startedAt = world.timeline.clock.now();
  const done = await world.untilEnded(task, 600_000);
  assert.equal(done.status, "completed");
  assert.equal(done.failures, 0);
  assert.ok(done.completedAt! - startedAt >= 100_000);
});

Deno.test("createUpstreamExecutor() leaves no start to the fate of a task deleted meanwhile", async () => {
  await using world = await VideoWorld.create(ONLY_ACME);
  const { book, canceller } = await world.start();
  const task = await world.create(AT_ACME);
  const started = Promise.withResolvers<void>();
  const isReleased = Promise.withResolvers<void>();
  world.acme.onStart = async (_order, signal) => {
    started.resolve();
    await isReleased.promise;
    assert.equal(signal.aborted, false);
  };
  await started.promise;
  await book.remove(task.id, withdrawn);
  isReleased.resolve();
  await world.timeline.until(() => world.acme.cancelled.length > 0);
  await canceller.idle();
  assert.deepEqual(world.acme.cancelled, ["job_1"]);
  assert.equal(world.acme.polled.length, 0);
  assert.deepEqual(await world.fileNames(), []);
});
