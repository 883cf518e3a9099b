import assert from "node:assert/strict";
import { COMPLETED, contentOf, fakeFilm, UNDER_WAY } from "../../support/fake_video_upstream.ts";
import { slowRenderer } from "../../support/slow_renderer.ts";
import { withdrawn } from "../../support/video_endings.ts";
import { VideoWorld } from "../../support/video_world.ts";

const AT_ACME = { provider: "acme", route: "acme/film" };

Deno.test("Runner forgets a task that is deleted while it waits", async () => {
  await using world = await VideoWorld.create({ runner: { localWorkers: 1 } });
  const renderer = slowRenderer(world);
  const { book, runner } = await world.start();
  const other = await world.create({ prompt: "other" });
  await world.timeline.until(() => renderer.started.length === 1);
  const task = await world.create({ prompt: "deleted" });
  await book.remove(task.id, withdrawn);
  assert.equal(runner.waiting, 0);
  renderer.finish[0]!();
  assert.equal((await world.untilEnded(other)).status, "completed");
  await world.untilIdle();
  assert.deepEqual(renderer.started, ["other"]);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});

Deno.test("Runner stops rendering at once when the task is deleted", async () => {
  await using world = await VideoWorld.create();
  const renderer = slowRenderer(world);
  const { book } = await world.start();
  const task = await world.create();
  await world.timeline.until(() => renderer.started.length === 1);
  const before = world.timeline.clock.now();
  await book.remove(task.id, withdrawn);
  await world.untilIdle();
  assert.equal(world.timeline.clock.now(), before);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
  assert.deepEqual(await world.fileNames(), []);
});

Deno.test("Runner cancels the job of a task deleted while it is polled or downloaded, and leaves no file", async () => {
  for (const phase of ["polling", "downloading"] as const) {
    await using world = await VideoWorld.create();
    const reached = Promise.withResolvers<void>();
    const { book, runner } = await world.start();
    world.acme.onStatus = () => {
      if (phase === "downloading") return COMPLETED;
      reached.resolve();
      return UNDER_WAY;
    };
    const more = Promise.withResolvers<void>();
    world.acme.onContent = () => {
      const content = contentOf(fakeFilm());
      let isFirst = true;
      return {
        ...content,
        read: async () => {
          if (!isFirst) {
            reached.resolve();
            await more.promise;
          }
          isFirst = false;
          return await content.read();
        },
      };
    };
    const task = await world.create(AT_ACME);
    let isReached = false;
    reached.promise.then(() => isReached = true);
    await world.timeline.until(() => isReached);
    await book.remove(task.id, withdrawn);
    more.resolve();
    await world.timeline.until(() => runner.running === 0 && world.acme.cancelled.length > 0);
    assert.deepEqual(world.acme.cancelled, ["job_1"], phase);
    assert.deepEqual(await world.fileNames(), [], phase);
    assert.deepEqual(await world.ledgerOf(task), ["release 0"], phase);
  }
});

Deno.test("Runner removes the film of a task that was deleted as it completed", async () => {
  await using world = await VideoWorld.create();
  const { book, runner } = await world.start();
  const keep = world.files.keep.bind(world.files);
  world.files.keep = async (task, film) => {
    const kept = await keep(task, film);
    await book.remove(task.id, withdrawn);
    return kept;
  };
  const task = await world.create();
  await world.timeline.until(() => runner.running === 0 && world.eventKinds().length > 0);
  assert.equal(await world.storage.videos.find(task.id), undefined);
  assert.deepEqual(await world.fileNames(), []);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
  assert.equal(world.eventKinds().includes("completed"), false);
});

Deno.test("Runner leaves nothing of a task that was deleted as its film was written", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start();
  const writeThumbnail = world.files.writeThumbnail.bind(world.files);
  world.files.writeThumbnail = async (id, bytes) => {
    await book.remove(id, withdrawn);
    await world.files.removeAll(id);
    await writeThumbnail(id, bytes);
  };
  const task = await world.create();
  await world.timeline.until(() => world.eventKinds().length > 0);
  await world.untilIdle();
  assert.deepEqual(await world.fileNames(), []);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});

Deno.test("Runner is in no trouble when a task is deleted as its film is kept", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start();
  const keep = world.files.keep.bind(world.files);
  world.files.keep = async (task, film) => {
    await book.remove(task.id, withdrawn);
    await world.files.removeAll(task.id);
    return await keep(task, film);
  };
  const task = await world.create();
  await world.timeline.until(() => world.eventKinds().length > 0);
  await world.untilIdle();
  assert.equal(world.eventKinds().includes("trouble"), false);
  assert.deepEqual(await world.fileNames(), []);
  assert.deepEqual(await world.ledgerOf(task), ["release 0"]);
});
