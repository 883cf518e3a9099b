import assert from "node:assert/strict";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { UpstreamError } from "../../../src/domain/upstream_error.ts";
import type { AttemptEnd } from "../../../src/videos/make/executor.ts";
import { RenderError } from "@tollgate/render";
import { COMPLETED, fakeFilm, UNDER_WAY } from "../../support/fake_video_upstream.ts";
import { NO_WISHES } from "../../support/no_wishes.ts";
import { slowRenderer } from "../../support/slow_renderer.ts";
import { FILM_COST_E8, FILM_SALE_E8, videoRoute } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };

Deno.test("Runner takes a task from queued to a film that is kept, charged and told of", async () => {
  await using world = await VideoWorld.create();
  await world.start();
  const task = await world.create({ callbackUrl: "https://example.test/hook" });
  const done = await world.untilEnded(task);
  assert.equal(done.status, "completed");
  assert.equal(done.progress, 100);
  assert.equal(done.attempt, 1);
  assert.equal(done.lease, undefined);
  assert.equal(done.costE8, FILM_COST_E8);
  assert.equal(done.saleE8, FILM_SALE_E8);
  assert.equal(done.expiresAt, done.completedAt! + 1_000);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  assert.deepEqual(await world.fileNames(), [`${task.id}.mp4`, `${task.id}.webp`]);
  const film = await Deno.readFile(world.files.contentPath(task.id));
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", film)).toHex();
  assert.deepEqual(done.file, { bytes: 1_000, sha256: digest, hasThumbnail: true, key: undefined });
  const [message] = await world.storage.webhooks.due(world.timeline.clock.now(), {
    most: 10,
    perProject: 10,
  });
  assert.match(message!.id, /^evt_[a-z2-7]{26}$/);
  assert.equal(message!.event, "video.completed");
  assert.equal(message!.videoId, task.id);
  assert.deepEqual(world.eventKinds(), ["claimed", "completed"]);
  assert.equal(world.boot.ledger.balanceOf("p").held, 0n);
  assert.equal(
    JSON.stringify(world.events, (_key, value) => String(value)).includes("lighthouse"),
    false,
  );
});

Deno.test("Runner settles at the prices of the hold, whatever the prices are by then", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  await world.start();
  const task = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  world.holder.swap(
    await world.writeCatalogue([videoRoute("here", { sale: "50" }), videoRoute("acme")]),
  );
  renderer.finish[0]!();
  const done = await world.untilEnded(task);
  assert.equal(done.saleE8, FILM_SALE_E8);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
});

Deno.test("Runner stores progress before it shows, never lowers it, and keeps 100 for films on disk", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  const { book } = await world.start();
  const task = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  const shown: number[] = [];
  book.subscribe((_before, after) => {
    if (after !== undefined) shown.push(after.progress);
  });
  for (const fraction of [0.1, 0.2, 0.255, 0.1, 0.9, 1]) {
    renderer.progress[0]!(fraction);
    if (fraction !== 0.1) await world.timeline.advance(1_000);
  }
  assert.equal((await world.stored(task)).progress, 99);
  assert.equal(shown.at(-1), 99);
  assert.deepEqual(shown, shown.toSorted((a, b) => a - b));
  assert.ok(shown.length <= 6, `${shown.length} writes`);
  renderer.finish[0]!();
  assert.equal((await world.untilEnded(task)).progress, 100);
});

Deno.test("Runner renews the lease of an attempt every five seconds", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  await world.start();
  const task = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  for (let second = 0; second < 100; second++) {
    await world.timeline.advance(1_000);
    const { lease } = await world.stored(task);
    assert.ok(lease!.until - world.timeline.clock.now() >= 24_000);
  }
  assert.ok((await world.stored(task)).revision <= 30);
  renderer.finish[0]!();
  assert.equal((await world.untilEnded(task)).attempt, 1);
});

Deno.test("Runner keeps to the Workers, the routes' limits and the projects' caps", async () => {
  await using world = await VideoWorld.create({
    routes: [
      videoRoute("here"),
      videoRoute("acme", { limits: { concurrent: 3 } }),
      videoRoute("zeta"),
    ],
    projects: ["p", "q"],
    runner: { tasksPerProject: 5, localWorkers: 2 },
  });
  const renderer = slowRenderer(world);
  let isDone = false;
  const status = () => isDone ? COMPLETED : UNDER_WAY;
  Object.assign(world.acme, { onStatus: status });
  Object.assign(world.zeta, { onStatus: status });
  const { runner } = await world.start();
  const tasks: VideoTask[] = [];
  for (let index = 0; index < 4; index++) {
    tasks.push(await world.create({ projectId: "q" }));
    tasks.push(await world.create({ projectId: "q", ...AT_ACME }));
    tasks.push(await world.create({ provider: "zeta", route: "zeta/film" }));
    tasks.push(await world.create({ provider: "zeta", route: "zeta/film" }));
  }
  await world.timeline.until(() =>
    world.zeta.orders.length === 5 && world.acme.orders.length === 3
  );
  await world.timeline.advance(20_000);
  assert.equal(renderer.started.length, 2);
  assert.equal(world.acme.orders.length, 3);
  assert.equal(world.zeta.orders.length, 5);
  assert.equal(runner.running, 10);
  assert.equal(runner.waiting, 6);
  isDone = true;
  await world.timeline.until(() => {
    for (const finish of renderer.finish.splice(0)) finish();
    return runner.running === 0;
  });
  for (const task of tasks) assert.equal((await world.stored(task)).status, "completed");
});

for (
  const [kind, expected] of [
    ["failed", "the film failed"],
    ["crashed", "The renderer crashed"],
    ["abandoned", "The renderer stopped answering"],
  ] as const
) {
  Deno.test(`Runner fails a task at once whose renderer has ${kind}, and no other`, async () => {
    await using world = await VideoWorld.create();
    const renderer = slowRenderer(world);
    const wait = world.onRender;
    world.onRender = (order, run) =>
      order.prompt === "poison"
        ? Promise.reject(new RenderError(kind, "the film failed"))
        : wait(order, run);
    await world.start();
    const well = await world.create();
    const poisoned = await world.create({ prompt: "poison" });
    const failed = await world.untilEnded(poisoned);
    assert.equal(failed.error!.code, "video_generation_failed");
    assert.ok(failed.error!.message.startsWith(expected), failed.error!.message);
    assert.equal(failed.attempt, 1);
    assert.deepEqual(await world.ledgerOf(poisoned), ["release 0"]);
    assert.equal(world.eventKinds().includes("abandoned_worker"), kind === "abandoned");
    assert.equal((await world.stored(well)).status, "in_progress");
    renderer.finish[0]!();
    assert.equal((await world.untilEnded(well)).status, "completed");
  });
}

Deno.test("Runner tries a task three times whose work fails unexpectedly", async () => {
  await using world = await VideoWorld.create();
  let tries = 0;
  world.onRender = () => {
    tries++;
    return Promise.reject(new Error("secret internals"));
  };
  await world.start();
  const failed = await world.untilEnded(await world.create({ wishes: hereOnly() }));
  assert.equal(tries, 3);
  assert.equal(failed.failures, 2);
  assert.equal(failed.error!.code, "PROVIDER_TEMPORARILY_UNAVAILABLE");
  assert.equal(failed.error!.message.includes("secret"), false);
});

Deno.test("Runner lets a zombie change nothing after its task was taken from it", async () => {
  const zombies: ((end: AttemptEnd) => void)[] = [];
  const attempts: { readonly signal: AbortSignal }[] = [];
  await using world = await VideoWorld.create({
    routes: [videoRoute("here")],
    runner: {
      local: {
        run(attempt) {
          attempts.push(attempt);
          attempt.expectSigns(10_000);
          return new Promise((resolve) => zombies.push(resolve));
        },
      },
    },
  });
  const { book } = await world.start();
  const task = await world.create();
  await world.timeline.until(() => attempts.length === 2);
  assert.equal(attempts[0]!.signal.aborted, true);
  assert.deepEqual(world.eventKinds().slice(0, 3), ["claimed", "rescued", "claimed"]);
  const before = await world.stored(task);
  assert.equal(before.attempt, 2);
  assert.equal(before.failures, 1);
  const part = await world.files.openPart(task.id);
  await part.write(fakeFilm());
  let changes = 0;
  book.subscribe(() => changes++);
  zombies[0]!({ kind: "content", part, hasThumbnail: false });
  await world.timeline.settle();
  assert.equal(changes, 0);
  assert.deepEqual(await world.stored(task), before);
  assert.deepEqual(await world.ledgerOf(task), []);
  const again = await world.files.openPart(task.id);
  await again.write(fakeFilm(2_000));
  zombies[1]!({ kind: "content", part: again, hasThumbnail: false });
  assert.equal((await world.untilEnded(task)).file!.bytes, 2_000);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
});

Deno.test("Runner gives up a task whose attempts all stop showing signs of life", async () => {
  await using world = await VideoWorld.create({
    routes: [videoRoute("here")],
    runner: {
      local: {
        run(attempt) {
          attempt.expectSigns(10_000);
          return new Promise(() => {});
        },
      },
    },
  });
  const { runner } = await world.start();
  const failed = await world.untilEnded(await world.create(), 600_000);
  assert.equal(failed.attempt, 3);
  assert.equal(failed.error!.code, "video_generation_failed");
  await world.timeline.until(() => runner.running === 0);
});

Deno.test("Runner books the job of a task that it gives up for its silence, and cancels it", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  world.acme.onStatus = () => new Promise(() => {});
  await world.start();
  const task = await world.create(AT_ACME);
  const failed = await world.untilEnded(task, 86_000_000);
  assert.equal(failed.attempt, 3);
  assert.equal(world.acme.orders.length, 1);
  assert.deepEqual(world.acme.cancelled, ["job_1"]);
  assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${FILM_SALE_E8}`]);
  assert.equal((await world.storage.calls.find(task.callId))?.state, "released");
});

Deno.test("Runner rescues nobody because the machine's clock was set", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  await world.start();
  const task = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  for (const days of [1, -2]) {
    for (let second = 0; second < 45; second++) {
      world.timeline.clock.setWall(world.timeline.clock.now() + days * 86_400_000);
      await world.timeline.advance(1_000);
    }
  }
  const running = await world.stored(task);
  assert.equal(running.attempt, 1);
  assert.equal(running.status, "in_progress");
  renderer.finish[0]!();
  assert.equal((await world.untilEnded(task)).status, "completed");
});

Deno.test("Runner asks nobody again when a creation got no answer, and books it as lost", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme"), videoRoute("zeta")] });
  world.acme.onStart = () => {
    throw new UpstreamError("broken", "The upstream did not answer", { isUnanswered: true });
  };
  await world.start();
  const task = await world.create(AT_ACME);
  const failed = await world.untilEnded(task);
  assert.equal(failed.status, "failed");
  assert.match(failed.error!.message, /did not answer.*create the video again$/);
  assert.deepEqual([world.acme.orders.length, world.zeta.orders.length], [1, 0]);
  assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${FILM_SALE_E8}`]);
});

Deno.test("Runner asks under one key for one job, and under another for the next", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  let isBusy = true;
  world.acme.onStart = () => {
    if (!isBusy) return;
    isBusy = false;
    throw new UpstreamError("busy", "The upstream is busy", { status: 429 });
  };
  let isLost = true;
  world.acme.onStatus = () => {
    if (!isLost) return COMPLETED;
    isLost = false;
    return { status: "lost", progress: undefined, error: undefined };
  };
  await world.start();
  const task = await world.create(AT_ACME);
  assert.equal((await world.untilEnded(task)).status, "completed");
  assert.deepEqual(
    world.acme.orders.map(({ idempotencyKey }) => idempotencyKey),
    [`${task.id}-acme%2Ffilm-0`, `${task.id}-acme%2Ffilm-0`, `${task.id}-acme%2Ffilm-1`],
  );
});

Deno.test("Runner puts a download off when the disk has no more room, and goes on with its job", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  world.hasRoom = false;
  await world.start();
  const task = await world.create(AT_ACME);
  await world.timeline.until(() => world.eventKinds().includes("postponed"));
  assert.deepEqual(await world.fileNames(), []);
  world.hasRoom = true;
  const ended = await world.untilEnded(task);
  assert.deepEqual([ended.status, ended.failures], ["completed", 0]);
  assert.equal(world.acme.orders.length, 1);
});

Deno.test("Runner tells of an upstream's failure without the caller's words", async () => {
  await using world = await VideoWorld.create({ routes: [videoRoute("acme")] });
  await world.start();
  world.acme.onStart = () => {
    throw new UpstreamError("broken", "upstream answered 500", { status: 500 });
  };
  await world.untilEnded(await world.create({ ...AT_ACME, prompt: "a secret wish" }));
  const told = JSON.stringify(
    world.events,
    (_key, value) => value instanceof Error ? { ...value, message: value.message } : value,
  );
  assert.ok(told.includes("upstream answered 500"));
  assert.equal(told.includes("a secret wish"), false);
});

function hereOnly(): VideoTask["wishes"] {
  return { ...NO_WISHES, route: "here/film" };
}

Deno.test("Runner begins nothing on what is paused, ends what is under way, and begins again when it is resumed", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  await world.start();
  const underWay = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  const since = world.timeline.clock.now();
  const pause = { part: "route", id: "here/film", reason: "new driver", since } as const;
  world.pauses.replace([pause]);
  const paused = await world.create();
  const elsewhere = await world.create(AT_ACME);
  assert.equal((await world.untilEnded(elsewhere)).status, "completed", "other routes go on");
  renderer.finish[0]!();
  assert.equal((await world.untilEnded(underWay)).status, "completed");
  assert.equal(renderer.started.length, 1);
  assert.deepEqual(world.boot.book.known(paused.id), paused, "it waits where it is, as it was");

  world.pauses.replace([{ ...pause, part: "model", id: "film" }]);
  const third = await world.create(AT_ACME);
  world.pauses.replace([{ part: "queue", reason: undefined, since }]);
  await world.timeline.until(() => world.boot.runner.waiting === 2);
  assert.equal(world.boot.runner.running, 0);
  assert.equal(world.boot.book.known(third.id)!.status, "queued");

  world.pauses.replace([]);
  await world.timeline.until(() => renderer.started.length === 2);
  renderer.finish[1]!();
  assert.equal((await world.untilEnded(paused)).status, "completed");
  assert.equal((await world.untilEnded(third)).status, "completed");
});

Deno.test("Runner asks after the job of an upstream although its route is paused", async () => {
  await using world = await VideoWorld.create();
  await world.start({ isIdle: true });
  const at = world.timeline.clock.now();
  const task = await world.create({
    ...AT_ACME,
    status: "in_progress",
    startedAt: at,
    job: { id: "job_1", keyReference: undefined, startedAt: at },
  });
  world.pauses.replace([{ part: "queue", reason: undefined, since: at }]);
  await world.boot.runner.start();
  const ended = await world.untilEnded(task);
  assert.ok(ended.attempt > task.attempt, "it was worked on");
});
