import assert from "node:assert/strict";
import { NO_USAGE } from "../../../src/domain/usage.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import type { RetentionRules } from "../../../src/videos/files/retention.ts";
import { Retention } from "../../../src/videos/files/retention.ts";
import { FILM_SALE_E8 } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const HOUR = 3_600_000;

async function scene(rules: Partial<RetentionRules>) {
  const world = await VideoWorld.create();
  const { book } = await world.start({ isIdle: true });
  const { clock } = world.timeline;
  const removed: string[] = [];
  const errors: unknown[] = [];
  const retention = new Retention({
    keepMs: undefined,
    quotaBytes: undefined,
    ...rules,
    book,
    clock,
    videos: world.storage.videos,
    files: world.files,
    onRemoved: ({ id }, why) => removed.push(`${why} ${id}`),
    onError: (error) => errors.push(error),
  });
  /** Completes a task with a film of `bytes`. */
  async function film(bytes: number): Promise<VideoTask> {
    const { id } = await world.create();
    const part = await world.files.openPart(id);
    await part.write(new Uint8Array(bytes));
    const kept = await world.files.keep(id, part);
    await world.files.writeThumbnail(id, new Uint8Array([1]));
    await book.change(id, () => ({ set: { status: "in_progress", attempt: 1 } }));
    const completedAt = clock.now();
    const completed = await book.change(id, () => ({
      set: {
        status: "completed",
        progress: 100,
        completedAt,
        expiresAt: retention.expiryOf(completedAt),
        file: { ...kept, hasThumbnail: true },
        costE8: 1n,
        saleE8: FILM_SALE_E8,
      },
      close: {
        result: "completed",
        billable: true,
        usage: NO_USAGE,
        usageSource: "reported",
        images: 0,
        costE8: 1n,
        saleE8: FILM_SALE_E8,
        firstByteMs: undefined,
        attempts: 1,
        errorCode: undefined,
      },
    }));
    return completed!;
  }
  return {
    ...{ world, clock, book, retention, removed, errors, film },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

Deno.test("Retention removes a film when its time is over; the task stays and says when", async () => {
  await using at = await scene({ keepMs: HOUR });
  const task = await at.film(10);
  assert.equal(task.expiresAt, task.completedAt! + HOUR);
  at.clock.advance(HOUR - 1);
  await at.retention.sweep();
  assert.deepEqual(await at.world.fileNames(), [`${task.id}.mp4`, `${task.id}.webp`]);
  at.clock.advance(1);
  await at.retention.sweep();
  const stored = await at.world.stored(task);
  assert.deepEqual(await at.world.fileNames(), []);
  assert.deepEqual(
    [stored.status, stored.fileRemovedAt, stored.expiresAt],
    ["completed", at.clock.now(), task.expiresAt],
  );
  assert.deepEqual(at.removed, [`expired ${task.id}`]);
  await at.retention.sweep();
  assert.equal(at.removed.length, 1);
});

Deno.test("Retention without rules keeps films for ever", async () => {
  await using at = await scene({});
  const task = await at.film(10);
  assert.equal(task.expiresAt, undefined);
  at.clock.advance(1_000_000 * HOUR);
  await at.retention.sweep();
  assert.deepEqual(await at.world.stored(task), task);
  assert.deepEqual(at.removed, []);
});

Deno.test("Retention removes the oldest films until the rest is within the quota", async () => {
  await using at = await scene({ quotaBytes: 100 });
  const films: VideoTask[] = [];
  for (const bytes of [60, 30, 40, 60]) {
    films.push(await at.film(bytes));
    at.clock.advance(1_000);
  }
  await at.retention.sweep();
  const [first, second, ...rest] = films;
  assert.deepEqual(at.removed, [`quota ${first!.id}`, `quota ${second!.id}`]);
  for (const gone of [first, second]) {
    const stored = await at.world.stored(gone!);
    assert.equal(stored.expiresAt, stored.fileRemovedAt, "it expired when it was removed");
    assert.ok(stored.fileRemovedAt! >= gone!.completedAt!);
  }
  for (const kept of rest) assert.deepEqual(await at.world.stored(kept), kept);
  assert.equal(await at.world.storage.videos.keptBytes(), 100);
});

Deno.test("Retention removes a film that alone is more than the quota, and no task", async () => {
  await using at = await scene({ quotaBytes: 9 });
  const task = await at.film(10);
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${task.id}`]);
  assert.equal((await at.world.stored(task)).status, "completed");
});

Deno.test("Retention goes through more films than it reads at one time", async () => {
  await using at = await scene({ keepMs: HOUR });
  for (let count = 0; count < 101; count++) await at.film(1);
  at.clock.advance(HOUR);
  await at.retention.sweep();
  assert.equal(at.removed.length, 101);
  assert.deepEqual(await at.world.fileNames(), []);
});

Deno.test("Retention finishes what broke off between a film and its row", async () => {
  await using at = await scene({ keepMs: HOUR });
  const task = await at.film(10);
  at.clock.advance(HOUR);
  at.world.refuse = () => ({ ok: false, reason: "full", message: "no space" });
  await at.retention.sweep();
  assert.equal(at.errors.length, 1);
  assert.deepEqual(await at.world.fileNames(), []);
  assert.equal((await at.world.stored(task)).fileRemovedAt, undefined);
  at.world.refuse = undefined;
  await at.retention.sweep();
  assert.equal((await at.world.stored(task)).fileRemovedAt, at.clock.now());
  assert.deepEqual(at.removed, [`expired ${task.id}`]);
});

Deno.test("Retention looks once more when it is asked during a sweep, and not after its stop", async () => {
  await using at = await scene({ keepMs: HOUR });
  const first = at.retention.sweep();
  const task = await at.film(10);
  at.clock.advance(HOUR);
  at.retention.sweep();
  await first;
  await at.world.timeline.settle();
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`expired ${task.id}`]);
  at.retention.start();
  await at.retention.stop();
});

Deno.test("Retention.stop() ends what it does about films that are completed", async () => {
  await using at = await scene({ quotaBytes: 100 });
  const first = await at.film(90);
  await at.world.timeline.settle();
  await at.retention.stop();
  await at.film(90);
  await at.world.timeline.settle();
  assert.deepEqual(at.removed, []);
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${first.id}`]);
});
