import assert from "node:assert/strict";
import { loneSession, type SessionId } from "../../../src/domain/session.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { Attempt } from "../../../src/videos/task/attempt.ts";
import type { TaskBook } from "../../../src/videos/task/task_book.ts";
import { fakeFilm } from "../../support/fake_video_upstream.ts";
import { FILM_SALE_E8 } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

/** Claims a task as the runner does. */
async function claim(world: VideoWorld, { id }: VideoTask): Promise<Attempt> {
  const { book } = world.boot;
  const claimed = await claimAs(book, id, 1);
  const { clock, delay } = world.timeline;
  return new Attempt({ book, clock, delay, sessions: loneSession(1) }, claimed);
}

async function claimAs(book: TaskBook, taskId: string, session: SessionId): Promise<VideoTask> {
  const claimed = await book.change(taskId, ({ attempt }) => ({
    set: { status: "in_progress", attempt: attempt + 1, lease: { session, until: 9e12 } },
  }));
  return claimed!;
}

for (
  const [says, take] of [
    ["the next attempt of this process", (book, id) => claimAs(book, id, 1)],
    ["nobody", (book, id) => book.change(id, () => ({ set: { lease: undefined } }))],
    [
      "another session under the same number",
      (book, id) => book.change(id, () => ({ set: { lease: { session: 2, until: 0 } } })),
    ],
  ] satisfies [string, (book: TaskBook, id: string) => Promise<unknown>][]
) {
  Deno.test(`Attempt changes nothing once ${says} has its task`, async () => {
    await using world = await VideoWorld.create();
    const { book } = await world.start({ isIdle: true });
    const task = await world.create();
    const attempt = await claim(world, task);
    await take(book, task.id);
    const before = await world.stored(task);
    attempt.progress(50);
    await attempt.beat();
    await world.timeline.advance(6_000);
    await attempt.beat();
    assert.equal(await attempt.store(() => ({ set: { progress: 90 } })), undefined);
    assert.equal(attempt.stopped, "lost");
    assert.equal(attempt.signal.aborted, true);
    assert.equal(attempt.hardSignal.aborted, true);
    assert.deepEqual(await world.stored(task), before);
  });
}

Deno.test("an attempt that loses its task while it keeps the film completes nothing", async () => {
  await using world = await VideoWorld.create();
  const { book } = await world.start();
  const keep = world.files.keep.bind(world.files);
  let isFirst = true;
  world.files.keep = async (task, film) => {
    const kept = await keep(task, film);
    if (isFirst) await book.change(task.id, () => ({ set: { lease: undefined, failures: 1 } }));
    isFirst = false;
    return kept;
  };
  const films = [fakeFilm(1_000), fakeFilm(3_000)];
  world.onRender = () =>
    Promise.resolve({ film: films.shift()!, thumbnail: new Uint8Array([1]), frames: 96 });
  const task = await world.create();
  const done = await world.untilEnded(task);
  assert.equal(done.attempt, 2);
  assert.equal(done.file!.bytes, 3_000);
  assert.equal((await Deno.stat(world.files.contentPath(task.id))).size, 3_000);
  assert.deepEqual(await world.ledgerOf(task), [`settle ${FILM_SALE_E8}`]);
  assert.equal(world.eventKinds().filter((kind) => kind === "completed").length, 1);
});

Deno.test("Attempt.beat() lets the lease of silent work run out, and only of silent work", async () => {
  await using world = await VideoWorld.create();
  await world.start({ isIdle: true });
  const attempt = await claim(world, await world.create());
  attempt.expectSigns(60_000);
  for (let second = 0; second < 300; second++) {
    await world.timeline.advance(1_000);
    if (second % 50 === 0) attempt.alive();
    await attempt.beat();
    assert.equal(attempt.isLapsed, false);
  }
  for (let second = 0; second < 91; second++) {
    await world.timeline.advance(1_000);
    await attempt.beat();
  }
  assert.equal(attempt.isLapsed, true);
  assert.equal(attempt.stopped, undefined);
});

Deno.test("Attempt.stop() keeps its first reason, except that draining may end in anything", async () => {
  await using world = await VideoWorld.create();
  await world.start({ isIdle: true });
  const draining = await claim(world, await world.create());
  draining.stop("draining");
  assert.deepEqual([draining.stopped, draining.hardSignal.aborted], ["draining", false]);
  draining.stop("over");
  draining.stop("lost");
  assert.deepEqual([draining.stopped, draining.hardSignal.aborted], ["over", false]);
  draining.stop("stopped");
  assert.deepEqual([draining.stopped, draining.hardSignal.aborted], ["over", true]);
});
