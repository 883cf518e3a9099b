import assert from "node:assert/strict";
import { NO_WORK } from "../../../src/domain/work.ts";
import type { VideoTask } from "../../../src/domain/video_task.ts";
import { ContentQuota, type QuotaRules } from "../../../src/videos/keep/content_quota.ts";
import { Retention } from "../../../src/videos/keep/retention.ts";
import { FILM_SALE_E8 } from "../../support/video_parts.ts";
import { VideoWorld } from "../../support/video_world.ts";

const HOUR = 3_600_000;

interface Rules extends Partial<QuotaRules> {
  readonly keepMs?: number;
}

async function scene({ keepMs, quotaBytes, projectQuotaBytes }: Rules) {
  const world = await VideoWorld.create({ projects: ["p", "q", "r"] });
  const { book, leftovers } = await world.start({ isIdle: true });
  const { clock } = world.timeline;
  const { videos } = world.storage;
  const removed: string[] = [];
  const own = new Map<string, number>();
  const errors: unknown[] = [];
  const quota = await ContentQuota.load({
    ...{ book, videos, clock, quotaBytes, projectQuotaBytes },
    hasOthers: () => false,
    ownQuotaOf: (projectId) => own.get(projectId),
  });
  const retention = new Retention({
    keepMs,
    quota,
    book,
    clock,
    videos,
    leftovers,
    films: world.files,
    onRemoved: ({ id }, why) => removed.push(`${why} ${id}`),
    onError: (error) => errors.push(error),
  });
  /** Completes a task with a film of `bytes`. */
  async function film(
    bytes: number,
    { projectId = "p", isFetched = true } = {},
  ): Promise<VideoTask> {
    const { id } = await world.create({ projectId });
    const part = await world.files.openPart(id);
    await part.write(new Uint8Array(bytes));
    const file = await world.files.keep({ id }, { part, hasThumbnail: true });
    await world.files.writeThumbnail(id, new Uint8Array([1]));
    await book.change(id, () => ({ set: { status: "in_progress", attempt: 1 } }));
    const completedAt = clock.now();
    const completed = await book.change(id, () => ({
      set: {
        status: "completed",
        progress: 100,
        completedAt,
        expiresAt: retention.expiryOf(completedAt),
        fetchedAt: isFetched ? completedAt : undefined,
        file,
        costE8: 1n,
        saleE8: FILM_SALE_E8,
      },
      close: {
        result: "completed",
        billable: true,
        work: NO_WORK,
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
    ...{ world, clock, book, quota, retention, removed, errors, own, film },
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
  assert.deepEqual(at.removed, [], "they are young");
  at.clock.advance(HOUR);
  await at.retention.sweep();
  const [first, second, ...rest] = films;
  assert.deepEqual(at.removed, [`quota ${first!.id}`, `quota ${second!.id}`]);
  for (const gone of [first, second]) {
    const stored = await at.world.stored(gone!);
    assert.equal(stored.expiresAt, stored.fileRemovedAt, "it expired when it was removed");
    assert.ok(stored.fileRemovedAt! >= gone!.completedAt!);
  }
  for (const kept of rest) assert.deepEqual(await at.world.stored(kept), kept);
  assert.deepEqual(await at.world.storage.videos.keptBytes(), [{ projectId: "p", bytes: 100 }]);
});

Deno.test("Retention spares films that nobody has fetched", async () => {
  await using at = await scene({ quotaBytes: 50 });
  const unseen = await at.film(40, { isFetched: false });
  const seen = await at.film(40);
  at.clock.advance(100 * HOUR);
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${seen.id}`]);
  await at.film(40, { isFetched: false });
  at.clock.advance(100 * HOUR);
  await at.retention.sweep();
  assert.equal(at.removed.length, 1);
  await at.book.change(unseen.id, () => ({ set: { fetchedAt: at.clock.now() } }));
  await at.retention.sweep();
  assert.deepEqual(at.removed.slice(1), [`quota ${unseen.id}`]);
});

Deno.test("Retention takes the room from the projects with more than their share", async () => {
  await using at = await scene({ quotaBytes: 90 });
  const small = await at.film(10, { projectId: "q" });
  const flood: VideoTask[] = [];
  for (let count = 0; count < 8; count++) flood.push(await at.film(10, { projectId: "p" }));
  const late = await at.film(20, { projectId: "r" });
  at.clock.advance(HOUR);
  await at.retention.sweep();
  assert.deepEqual(at.removed, flood.slice(0, 2).map(({ id }) => `quota ${id}`));
  for (const kept of [small, late]) assert.deepEqual(await at.world.stored(kept), kept);
});

Deno.test("Retention removes nobody's films because of another's that are spared", async () => {
  await using at = await scene({ quotaBytes: 60 });
  const old = [await at.film(10, { projectId: "q" }), await at.film(10, { projectId: "q" })];
  await at.retention.sweep();
  at.clock.advance(HOUR);
  for (let count = 0; count < 5; count++) await at.film(10, { projectId: "p" });
  await at.retention.sweep();
  assert.deepEqual(at.removed, [], "all that p has is young, and q has less than its share");
  await at.film(1, { projectId: "q" });
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${old[0]!.id}`], "but makes room for its own");
});

Deno.test("Retention keeps each project within the quota of its own", async () => {
  await using at = await scene({ projectQuotaBytes: 50 });
  const [first] = [await at.film(30), await at.film(30), await at.film(50, { projectId: "q" })];
  at.clock.advance(HOUR);
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${first!.id}`]);
});

Deno.test("Retention goes on past a film that cannot be removed, and tells of it once", async () => {
  await using at = await scene({ keepMs: HOUR });
  const films: VideoTask[] = [];
  for (let count = 0; count < 103; count++) films.push(await at.film(1));
  const inTheWay = films.slice(0, 101).map(({ id }) => at.world.files.contentPath(id));
  for (const path of inTheWay) {
    await Deno.remove(path);
    await Deno.mkdir(`${path}/folder`, { recursive: true });
  }
  at.clock.advance(HOUR);
  await at.retention.sweep();
  assert.deepEqual(at.removed, films.slice(101).map(({ id }) => `expired ${id}`));
  assert.equal(at.errors.length, 101);
  await at.retention.sweep();
  assert.equal(at.errors.length, 101);
  for (const path of inTheWay) await Deno.remove(`${path}/folder`);
  await at.retention.sweep();
  assert.equal(at.removed.length, 103);
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
  at.clock.advance(HOUR);
  await at.world.timeline.settle();
  await at.retention.stop();
  await at.film(90);
  await at.world.timeline.settle();
  assert.deepEqual(at.removed, []);
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${first.id}`]);
});

Deno.test("Retention brings a project within its own quota when that is made smaller", async () => {
  await using at = await scene({});
  const [oldest, kept] = [await at.film(60), await at.film(40)];
  const others = await at.film(60, { projectId: "q" });
  at.clock.advance(HOUR);
  await at.retention.sweep();
  assert.deepEqual(at.removed, []);
  at.own.set("p", 50);
  await at.retention.sweep();
  assert.deepEqual(at.removed, [`quota ${oldest.id}`]);
  for (const { id } of [kept, others]) {
    assert.ok((await at.world.fileNames()).includes(`${id}.mp4`));
  }
});
