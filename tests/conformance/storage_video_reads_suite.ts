/**
 * The storage suite's part about finding video tasks again.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { VideoTask } from "../../src/domain/video_task.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { ContentPage, VideoQuery } from "../../src/storage/ports/video_pages.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleOpenCall,
  sampleProject,
  words,
} from "./storage_samples.ts";
import {
  changeEntry,
  claimedTask,
  closedTaskCall,
  completedTask,
  createEntry,
  failedTask,
  nextTask,
  numberedId,
  releasedTaskCall,
  sampleTask,
} from "./storage_video_samples.ts";

/** Projects `acme` and `other`, whose tasks hold nothing. */
async function twoProjects(storage: Storage): Promise<void> {
  await fundProject(storage, 0n);
  await commitOne(storage, { kind: "create_project", project: sampleProject({ id: "other" }) });
}

const create = (task: VideoTask): Entry => createEntry(task, { heldE8: 0n });

async function write(storage: Storage, entries: readonly Entry[]): Promise<void> {
  const results = await storage.commitBatch(entries);
  assert.equal(results.every(({ ok }) => ok), true, JSON.stringify(results));
}

/** Completes tasks with films of ten bytes times their call's number. */
async function keepFilms(storage: Storage, films: readonly Partial<VideoTask>[]): Promise<void> {
  for (const { callId, projectId, keyId, ...changes } of films) {
    const whose = projectId === undefined ? {} : { projectId, keyId: keyId! };
    const created = sampleTask({ callId: callId!, ...whose });
    const file = {
      bytes: callId! * 10,
      sha256: "b".repeat(64),
      hasThumbnail: false,
      key: "video_a/1.mp4",
    };
    const claimed = claimedTask(created);
    const completed = completedTask(claimed, { file, ...changes });
    await write(storage, [create(created), changeEntry(claimed), changeEntry(completed)]);
  }
}

function ids(tasks: readonly VideoTask[]): number[] {
  return tasks.map(({ callId }) => callId);
}

/** Registers the tests about finding video tasks again. */
export function testVideoReads(test: StorageTest): void {
  test("videos.list() pages in order of creation, in one project or in all", async (storage) => {
    await twoProjects(storage);
    const tasks = [7, 2, 5, 1, 9, 4].map((callId) =>
      sampleTask({ callId, projectId: callId % 2 === 1 ? "acme" : "other" })
    );
    await write(storage, tasks.map(create));
    const list = async (query: Partial<VideoQuery>) =>
      ids(await storage.videos.list({ order: "asc", limit: 100, ...query }));
    const acme = { projectId: "acme" };
    assert.deepEqual(await list({}), [1, 2, 4, 5, 7, 9]);
    assert.deepEqual(await list({ order: "desc" }), [9, 7, 5, 4, 2, 1]);
    assert.deepEqual(await list({ afterCallId: 4, limit: 2 }), [5, 7]);
    assert.deepEqual(await list({ order: "desc", afterCallId: 4 }), [2, 1]);
    assert.deepEqual(await list(acme), [1, 5, 7, 9]);
    assert.deepEqual(await list({ ...acme, limit: 2 }), [1, 5]);
    assert.deepEqual(await list({ ...acme, afterCallId: 5 }), [7, 9]);
    assert.deepEqual(await list({ ...acme, afterCallId: 6 }), [7, 9]);
    assert.deepEqual(await list({ ...acme, afterCallId: 9 }), []);
    assert.deepEqual(await list({ ...acme, order: "desc" }), [9, 7, 5, 1]);
    assert.deepEqual(await list({ ...acme, order: "desc", afterCallId: 7, limit: 1 }), [5]);
    assert.deepEqual(await list({ projectId: "other", order: "desc" }), [4, 2]);
    assert.deepEqual(await list({ projectId: "nobody" }), []);
    assert.deepEqual(await list({ projectId: "" }), []);
  });

  test("videos.list() narrows to a status", async (storage) => {
    await twoProjects(storage);
    const [queued, running, done, foreign] = [1, 2, 3, 4].map((callId) =>
      sampleTask({ callId, projectId: callId === 4 ? "other" : "acme" })
    ) as [VideoTask, VideoTask, VideoTask, VideoTask];
    await write(storage, [
      ...[queued, running, done, foreign].map(create),
      changeEntry(claimedTask(running)),
      changeEntry(claimedTask(done)),
      changeEntry(completedTask(claimedTask(done))),
      changeEntry(failedTask(foreign)),
    ]);
    const list = async (query: Partial<VideoQuery>) =>
      ids(await storage.videos.list({ order: "asc", limit: 100, ...query }));
    assert.deepEqual(await list({ status: "queued" }), [1]);
    assert.deepEqual(await list({ status: "in_progress", order: "desc" }), [2]);
    assert.deepEqual(await list({ status: "completed", projectId: "acme" }), [3]);
    assert.deepEqual(await list({ status: "failed", projectId: "acme" }), []);
    assert.deepEqual(await list({ status: "failed", projectId: "other", afterCallId: 3 }), [4]);
    assert.deepEqual(await list({ status: "failed", afterCallId: 4 }), []);
  });

  test("videos.open() gives queued and running tasks in order of creation", async (storage) => {
    await twoProjects(storage);
    const tasks = [4, 3, 2, 1].map((callId) =>
      sampleTask({ callId, projectId: callId === 2 ? "other" : "acme" })
    );
    await write(storage, [
      ...tasks.map(create),
      changeEntry(claimedTask(tasks[1]!)),
      changeEntry(failedTask(tasks[3]!)),
    ]);
    assert.deepEqual(ids(await storage.videos.open(0, 10)), [2, 3, 4]);
    assert.deepEqual(await storage.videos.open(2, 1), [claimedTask(tasks[1]!)]);
    assert.deepEqual(await storage.videos.open(4, 10), []);
  });

  test("videos.unusedRepeat() finds the newest unused task of the same request", async (storage) => {
    await twoProjects(storage);
    const tasks = [
      sampleTask({ callId: 1, createdAt: NOON_ISH }),
      sampleTask({ callId: 2, createdAt: NOON_ISH + 50 }),
      sampleTask({ callId: 3, createdAt: NOON_ISH + 60, fingerprint: "e".repeat(64) }),
      sampleTask({ callId: 4, createdAt: NOON_ISH + 70, projectId: "other" }),
      sampleTask({ callId: 5, createdAt: NOON_ISH + 80, isIdUsed: true }),
    ];
    await write(storage, tasks.map(create));
    const find = async (changes: { projectId?: string; sinceMs?: number; fingerprint?: string }) =>
      (await storage.videos.unusedRepeat({
        projectId: "acme",
        fingerprint: "f".repeat(64),
        sinceMs: NOON_ISH,
        ...changes,
      }))?.callId;
    assert.equal(await find({}), 2);
    assert.equal(await find({ sinceMs: NOON_ISH + 50 }), 2);
    assert.equal(await find({ sinceMs: NOON_ISH + 51 }), undefined);
    assert.equal(await find({ fingerprint: "e".repeat(64) }), 3);
    assert.equal(await find({ projectId: "other" }), 4);
    assert.equal(await find({ projectId: "nobody" }), undefined);
    await write(storage, [changeEntry(nextTask(tasks[1]!, { isIdUsed: true }))]);
    assert.equal(await find({}), 1);
    await write(storage, [{
      kind: "delete_video",
      taskId: tasks[0]!.id,
      revision: 1,
      close: releasedTaskCall(tasks[0]!, { heldE8: 0n }),
    }]);
    assert.equal(await find({}), undefined);
  });

  test("videos.idsWithoutContent() names the ids of no task, of failed tasks and of removed films", async (storage) => {
    await twoProjects(storage);
    const [open, failed, done, gone] = [1, 2, 3, 4].map((callId) => sampleTask({ callId })) as [
      VideoTask,
      VideoTask,
      VideoTask,
      VideoTask,
    ];
    const completed = completedTask(claimedTask(gone));
    await write(storage, [
      ...[open, failed, done, gone].map(create),
      changeEntry(failedTask(claimedTask(failed, { revision: 1 }))),
      changeEntry(claimedTask(done)),
      changeEntry(completedTask(claimedTask(done))),
      changeEntry(claimedTask(gone)),
      changeEntry(completed),
      changeEntry(nextTask(completed, { fileRemovedAt: NOON_ISH + 99_000 })),
    ]);
    const unknown = numberedId("video_", 5);
    const { videos } = storage;
    assert.deepEqual(
      await videos.idsWithoutContent([open.id, failed.id, done.id, gone.id, unknown, "", "..%2f"]),
      [failed.id, gone.id, unknown, "", "..%2f"],
    );
    assert.deepEqual(await videos.idsWithoutContent([]), []);
  });

  test("videos.expired() gives films whose time is over, page by page", async (storage) => {
    await twoProjects(storage);
    await keepFilms(storage, [
      { callId: 1, completedAt: NOON_ISH + 30, expiresAt: NOON_ISH + 300 },
      { callId: 2, completedAt: NOON_ISH + 20, expiresAt: undefined },
      { callId: 3, completedAt: NOON_ISH + 10, expiresAt: NOON_ISH + 100 },
      { callId: 4, completedAt: NOON_ISH + 40, expiresAt: NOON_ISH + 100 },
    ]);
    await write(storage, [create(sampleTask({ callId: 5, expiresAt: NOON_ISH }))]);
    const { videos } = storage;
    const expired = async (untilMs: number, limit = 10, after?: ContentPage["after"]) =>
      ids(await videos.expired({ untilMs, limit, after }));
    assert.deepEqual(await expired(NOON_ISH + 99), []);
    assert.deepEqual(await expired(NOON_ISH + 100), [3, 4]);
    assert.deepEqual(await expired(NOON_ISH + 999, 2), [3, 4]);
    assert.deepEqual(await expired(NOON_ISH + 999, 2, { at: NOON_ISH + 100, callId: 3 }), [4, 1]);
    assert.deepEqual(await expired(NOON_ISH + 999, 2, { at: NOON_ISH + 300, callId: 1 }), []);
    const gone = await videos.find(sampleTask({ callId: 3 }).id);
    await write(storage, [changeEntry(nextTask(gone!, { fileRemovedAt: NOON_ISH + 101 }))]);
    assert.deepEqual(await expired(NOON_ISH + 999), [4, 1]);
  });

  test("videos.removableVideos(), keptBytes() and removableBytes() tell whose films may go", async (storage) => {
    await twoProjects(storage);
    const { videos } = storage;
    assert.deepEqual([await videos.keptBytes(), await videos.removableBytes(NOON_ISH)], [[], []]);
    const other = { projectId: "other", keyId: "key_2" };
    await keepFilms(storage, [
      { callId: 1, completedAt: NOON_ISH + 30, fetchedAt: NOON_ISH + 31 },
      { callId: 2, completedAt: NOON_ISH + 20, fetchedAt: undefined },
      { callId: 3, completedAt: NOON_ISH + 10, fetchedAt: NOON_ISH + 11 },
      { callId: 4, completedAt: NOON_ISH + 10, fetchedAt: NOON_ISH + 12 },
      { callId: 5, completedAt: NOON_ISH + 15, fetchedAt: NOON_ISH + 16, ...other },
    ]);
    const own = sampleTask({}).projectId;
    const removable = async (untilMs: number, limit = 10, after?: ContentPage["after"]) =>
      ids(await videos.removableVideos(own, { untilMs, limit, after }));
    assert.deepEqual(await removable(NOON_ISH + 99), [3, 4, 1]);
    assert.deepEqual(await removable(NOON_ISH + 29), [3, 4]);
    assert.deepEqual(await removable(NOON_ISH + 99, 1), [3]);
    assert.deepEqual(await removable(NOON_ISH + 99, 9, { at: NOON_ISH + 10, callId: 3 }), [4, 1]);
    const bytes = (rows: readonly { projectId: string; bytes: number }[]) =>
      Object.fromEntries(rows.map((row) => [row.projectId, row.bytes]));
    assert.deepEqual(bytes(await videos.keptBytes()), { [own]: 100, other: 50 });
    assert.deepEqual(bytes(await videos.removableBytes(NOON_ISH + 99)), { [own]: 80, other: 50 });
    assert.deepEqual(bytes(await videos.removableBytes(NOON_ISH + 14)), { [own]: 70 });
    const gone = await videos.find(sampleTask({ callId: 3 }).id);
    await write(storage, [changeEntry(nextTask(gone!, { fileRemovedAt: NOON_ISH + 101 }))]);
    assert.deepEqual(await removable(NOON_ISH + 99), [4, 1]);
    assert.deepEqual(bytes(await videos.keptBytes()), { [own]: 70, other: 50 });
  });

  test("calls.abandonedCalls() leaves out the calls of tasks that go on", async (storage) => {
    await fundProject(storage, 1_000n);
    const [queued, running, ended] = [1, 2, 3].map((callId) => sampleTask({ callId })) as [
      VideoTask,
      VideoTask,
      VideoTask,
    ];
    const settled = sampleTask({ callId: 4 });
    const results = await commitEach(storage, [
      ...[queued, running, ended, settled].map((task) => createEntry(task)),
      { kind: "hold", call: sampleOpenCall({ callId: 5 }) },
      { kind: "hold", call: sampleOpenCall({ callId: 6 }) },
      changeEntry(claimedTask(running)),
      changeEntry(failedTask(ended)),
      changeEntry(claimedTask(settled)),
      {
        kind: "change_video",
        task: completedTask(claimedTask(settled)),
        close: closedTaskCall(settled),
      },
    ]);
    assert.equal(words(results).every((word) => word === "ok"), true);
    const abandoned = async (limit: number) =>
      (await storage.calls.abandonedCalls(0, limit)).map(({ callId }) => callId);
    assert.deepEqual(await abandoned(10), [3, 5, 6]);
    assert.deepEqual(await abandoned(1), [3]);
    assert.deepEqual(
      (await storage.calls.openCalls(10)).map(({ callId }) => callId),
      [1, 2, 3, 5, 6],
    );
  });
}
