import assert from "node:assert/strict";
import { DiskRoom } from "../../../src/videos/keep/disk_room.ts";
import { estimateContentBytes } from "../../../src/videos/files/content_bytes.ts";
import { COMPLETED, UNDER_WAY } from "../../support/fake_video_upstream.ts";
import { renderedFilm, slowRenderer } from "../../support/slow_renderer.ts";
import { FILM_SALE_E8 } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };

Deno.test("Runner.stop() frees local films at once, leaves upstream jobs, and the next start goes on with both", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  world.acme.onStatus = () => UNDER_WAY;
  const { runner } = await world.start();
  const here = await world.create();
  const there = await world.create(AT_ACME);
  await world.timeline.until(() => renderer.started.length === 1 && world.acme.polled.length > 0);
  await runner.stop(30_000);
  assert.equal(runner.running, 0);
  assert.deepEqual(runner.paused, ["stopping"]);
  const [freed, left] = [await world.stored(here), await world.stored(there)];
  assert.deepEqual([freed.lease, freed.restarts, freed.failures], [undefined, 1, 0]);
  assert.deepEqual([left.lease, left.restarts, left.job?.id], [undefined, 0, "job_1"]);
  assert.deepEqual(world.acme.cancelled, []);
  const late = await world.create();
  await world.timeline.settle();
  assert.equal((await world.stored(late)).status, "queued");

  world.crash();
  world.acme.onStatus = () => COMPLETED;
  world.onRender = () => Promise.resolve(renderedFilm());
  await world.start();
  for (const task of [here, there, late]) {
    assert.equal((await world.untilEnded(task)).status, "completed");
    assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  }
  assert.equal(world.acme.orders.length, 1);
});

Deno.test("Runner.stop() waits for a start under way, so that its job is known", async () => {
  await using world = await VideoWorld.create();
  const answer = Promise.withResolvers<void>();
  world.acme.onStart = () => answer.promise;
  const { runner } = await world.start();
  const task = await world.create(AT_ACME);
  await world.timeline.until(() => world.acme.orders.length === 1);
  const stopped = runner.stop(30_000);
  await world.timeline.settle();
  assert.equal(runner.running, 1);
  answer.resolve();
  await stopped;
  const left = await world.stored(task);
  assert.deepEqual([left.job?.id, left.lease], ["job_1", undefined]);
  assert.equal(world.acme.polled.length, 0);
});

Deno.test("Runner.stop() does not wait for ever", async () => {
  await using world = await VideoWorld.create();
  world.acme.onStart = () => new Promise(() => {});
  const { runner } = await world.start();
  const task = await world.create(AT_ACME);
  await world.timeline.until(() => world.acme.orders.length === 1);
  let isStopped = false;
  runner.stop(30_000).then(() => isStopped = true);
  await world.timeline.until(() => isStopped, 31_000);
  assert.equal((await world.stored(task)).job, undefined);
  assert.deepEqual(await world.ledgerOf(task), []);

  // The upstream may have taken the job: nobody asks it once more.
  world.crash();
  await world.start();
  assert.equal((await world.untilEnded(task)).status, "failed");
  assert.equal(world.acme.orders.length, 1);
  assert.deepEqual(await world.ledgerOf(task), ["release 0", `loss ${FILM_SALE_E8}`]);
});

Deno.test("Runner begins nothing while the disk is full, and goes on by itself", async () => {
  await using world = await VideoWorld.create();
  const { runner } = await world.start();
  world.bytesBeside = () => 0;
  const task = await world.create();
  await world.timeline.advance(60_000);
  assert.equal((await world.stored(task)).status, "queued");
  assert.deepEqual(runner.paused, ["disk_full"]);
  world.bytesBeside = () => Infinity;
  assert.equal((await world.untilEnded(task, 5_000)).status, "completed");
  assert.deepEqual(runner.paused, []);
  assert.deepEqual(world.eventKinds(), ["paused", "resumed", "claimed", "completed"]);
});

Deno.test("Runner goes on with films that fit, past those that do not, as room comes back", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  const { book, runner } = await world.start();
  const bytesOf = (seconds: number) => estimateContentBytes({ size: "640x360", seconds });
  let free = bytesOf(5);
  const room = new DiskRoom({
    book,
    files: world.files,
    freeBytes: () => free,
  });
  world.bytesBeside = (underWay) => room.bytesBeside(underWay);
  const large = await world.create({ prompt: "large", seconds: 12 });
  for (const prompt of ["first", "second", "third"]) await world.create({ prompt });
  await world.timeline.until(() => renderer.started.length === 1);
  await world.timeline.advance(10_000);
  assert.deepEqual(renderer.started, ["first"], "beside it there is no room for another");
  assert.deepEqual(runner.paused, ["disk_full"]);
  for (const prompt of ["second", "third"]) {
    renderer.finish.shift()!();
    await world.timeline.until(() => renderer.started.at(-1) === prompt);
  }
  renderer.finish.shift()!();
  await world.untilIdle();
  assert.equal((await world.stored(large)).status, "queued");
  free += bytesOf(7);
  await world.timeline.until(() => renderer.started.length === 4);
  renderer.finish.shift()!();
  assert.equal((await world.untilEnded(large)).status, "completed");
  assert.deepEqual(runner.paused, []);
});

Deno.test("Runner begins nothing when the disk cannot be looked at, and what is stored stays stored", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start();
  let looks = 0;
  world.bytesBeside = () => {
    looks++;
    throw new Error("the folder is gone");
  };
  const tasks = await Promise.all([1, 2, 3].map(() => world.create()));
  await world.timeline.settle();
  assert.equal(looks, 1, "one look for all changes of a turn, and none while it rests");
  assert.deepEqual(world.eventKinds(), ["trouble"]);
  assert.ok(await book.change(tasks[0]!.id, () => ({ set: { isIdUsed: true } })));
  assert.equal((await world.stored(tasks[0]!)).isIdUsed, true);
  world.bytesBeside = () => Infinity;
  for (const task of tasks) assert.equal((await world.untilEnded(task)).status, "completed");
});

Deno.test("Runner loses and fails nothing while the database takes no changes", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  const { runner } = await world.start();
  const running = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  const waiting = await world.create(AT_ACME);
  world.refuse = () => ({ ok: false, reason: "full", message: "disk full" });
  renderer.finish[0]!();
  await world.timeline.advance(1_000);
  for (let second = 0; second < 120; second++) await world.timeline.advance(1_000);
  assert.equal((await world.stored(running)).status, "in_progress");
  world.refuse = undefined;
  for (const task of [running, waiting]) {
    const done = await world.untilEnded(task);
    assert.equal(done.status, "completed");
    assert.equal(done.failures, 0);
    assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  }
  await world.timeline.until(() => runner.running === 0);
  assert.equal(world.eventKinds().includes("trouble"), false);
});

Deno.test("Runner lets a film wait that does not fit on the disk", async () => {
  await using world = await VideoWorld.create();
  let isFull = true;
  await world.start();
  const openPart = world.files.openPart.bind(world.files);
  world.files.openPart = async (id) => {
    const part = await openPart(id);
    if (isFull) {
      part.write = () => Promise.reject(Object.assign(new Error("no space"), { code: "ENOSPC" }));
    }
    return part;
  };
  const task = await world.create();
  await world.timeline.until(() =>
    world.eventKinds().filter((kind) => kind === "postponed").length > 4
  );
  assert.equal((await world.stored(task)).failures, 0);
  isFull = false;
  assert.equal((await world.untilEnded(task)).status, "completed");
});
