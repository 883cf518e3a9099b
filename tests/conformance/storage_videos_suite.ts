/**
 * The storage suite's part about the life of a video task, from state to state.
 *
 * @module
 */

import assert from "node:assert/strict";
import {
  VIDEO_TRANSITIONS,
  type VideoStatus,
  type VideoTask,
} from "../../src/domain/video_task.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import {
  acmeBalance,
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
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
  sampleAnswer,
  sampleTask,
  taskCall,
} from "./storage_video_samples.ts";

/** A task in which every field has a value of its own. */
const FULL = sampleTask({
  prompt: `it's "snow"; DROP TABLE video_tasks; -- 漢字 🚀\n\ttab`,
  wishes: {
    provider: "builtin",
    route: "builtin/video-2",
    preference: "lowest_price",
    excludeRiskLevels: ["medium", "high"],
  },
  fields: { seed: 7, guidance: 1.5, style: { name: "ink" }, tags: ["a", null] },
  referenceType: "image/png",
  callbackUrl: "https://example.com/hook",
  notBefore: NOON_ISH + 5,
  isIdUsed: true,
  expiresAt: NOON_ISH + 99,
});

/** The task in a status, with the progress that the tests start from. */
function inStatus(task: VideoTask, status: VideoStatus): VideoTask {
  const claimed = claimedTask(task, { progress: 50 });
  if (status === "queued") return nextTask(task, { progress: 50 });
  if (status === "in_progress") return claimed;
  return status === "completed"
    ? completedTask(claimed, { progress: 50 })
    : failedTask(claimed, { progress: 50 });
}

/** Registers the tests about the life of a video task. */
export function testVideos(test: StorageTest): void {
  test("create_video takes the hold and stores every field", async (storage) => {
    await fundProject(storage, 150n);
    const idempotency = sampleAnswer();
    const entry: Entry = {
      kind: "create_video",
      task: FULL,
      call: taskCall(FULL),
      idempotency,
    };
    assert.deepEqual(words([await commitOne(storage, entry)]), ["ok"]);
    assert.deepEqual(await storage.videos.find(FULL.id), FULL);
    assert.deepEqual(await storage.calls.find(1), { ...taskCall(FULL), state: "open" });
    assert.deepEqual(await acmeBalance(storage), { avail: 50n, held: 100n });
    assert.deepEqual(await storage.answers.find(idempotency), idempotency);
    assert.equal(await storage.videos.find(numberedId("video_", 2)), undefined);
    assert.equal(await storage.videos.find(FULL.id.toUpperCase()), undefined);
    assert.deepEqual(await storage.ledger.slice(1, 10), []);
    assert.deepEqual((await storage.ledger.alteredRows("calls", 0, 10)).altered, []);
  });

  test("create_video that is refused stores nothing of it", async (storage) => {
    await fundProject(storage, 250n);
    const [first, second] = [sampleTask(), sampleTask({ callId: 2 })];
    const idempotency = sampleAnswer();
    const call = taskCall(second);
    const create = (changes: Partial<Extract<Entry, { kind: "create_video" }>>): Entry => ({
      kind: "create_video",
      task: second,
      call,
      ...changes,
    });
    const refused: readonly (readonly [Entry, string])[] = [
      [
        create({ call: { ...call, heldE8: 151n }, idempotency: sampleAnswer({ key: "b" }) }),
        "conflict",
      ],
      [create({ idempotency }), "conflict"],
      [create({ idempotency: sampleAnswer({ key: "a\0b" }) }), "failed"],
      [create({ task: { ...second, id: first.id } }), "conflict"],
      [create({ task: { ...second, revision: 2 } }), "conflict"],
      [create({ task: { ...second, id: "video_1" } }), "failed"],
      [create({ task: { ...second, id: numberedId("video_", 2).slice(0, -1) + "1" } }), "failed"],
      [create({ task: { ...second, progress: 101 } }), "failed"],
      [create({ task: { ...second, model: "a\0b" } }), "failed"],
      [create({ task: { ...second, projectId: "nobody" } }), "conflict"],
      [create({ call: taskCall(sampleTask({ callId: 3 })) }), "conflict"],
      [create({ call: { ...call, projectId: "nobody" } }), "conflict"],
      [
        createEntry(sampleTask({ callId: 2, projectId: "nobody" })),
        "missing",
      ],
      [create({ task: first, call: taskCall(first) }), "conflict"],
    ];
    const before: Entry = { kind: "create_video", task: first, call: taskCall(first), idempotency };
    assert.deepEqual(words([await commitOne(storage, before)]), ["ok"]);
    const assertUntouched = async () => {
      assert.deepEqual(await acmeBalance(storage), { avail: 150n, held: 100n });
      assert.deepEqual(await storage.videos.list({ order: "asc", limit: 10 }), [first]);
      assert.equal((await storage.calls.slice(0, 10)).length, 1);
      assert.equal(await storage.answers.find(sampleAnswer({ key: "b" })), undefined);
      assert.deepEqual(await storage.answers.find(idempotency), idempotency);
    };
    for (const [entry, word] of refused) {
      const [result] = await storage.commitBatch([entry]);
      assert.deepEqual(words([result!]), [word], JSON.stringify(result));
      await assertUntouched();
    }
    assert.deepEqual(
      words(await storage.commitBatch(refused.map(([entry]) => entry))),
      refused.map(([, word]) => word),
    );
    await assertUntouched();
  });

  test("an expired answer does not stand in the way of create_video", async (storage) => {
    await fundProject(storage, 100n);
    const expired = sampleAnswer({ body: "old", createdAt: 1, expiresAt: NOON_ISH });
    const answer = sampleAnswer({ body: "new", createdAt: NOON_ISH });
    const task = sampleTask();
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "store_answer", record: expired },
          { kind: "create_video", task, call: taskCall(task), idempotency: answer },
        ]),
      ),
      ["ok", "ok"],
    );
    assert.deepEqual(await storage.answers.find(answer), answer);
  });

  test("change_video replaces what may change and nothing else", async (storage) => {
    await fundProject(storage, 1_000n);
    const job = { id: "job/1 ü", keyReference: "env:ENGINE_KEY", startedAt: NOON_ISH + 2 };
    const queued = FULL;
    const claimed = claimedTask(queued, { progress: 10 });
    const asked = nextTask(claimed, { mayHaveBegun: true });
    const started = nextTask(asked, {
      job,
      mayHaveBegun: false,
      progress: 42,
      provider: "engine",
      route: "engine/video",
      failures: 2,
      restarts: 3,
      isIdUsed: false,
    });
    const keyless = nextTask(started, { job: { ...job, keyReference: undefined } });
    const completed = completedTask(keyless, { costE8: 9_007_199_254_740_993n, saleE8: 0n });
    const removed = nextTask(completed, { fileRemovedAt: NOON_ISH + 9, expiresAt: NOON_ISH + 9 });
    await commitOne(storage, createEntry(queued));
    for (const task of [claimed, asked, started, keyless, completed, removed]) {
      const rewritten = { ...task, prompt: "another", createdAt: 5, fingerprint: "other" };
      assert.deepEqual(words([await commitOne(storage, changeEntry(rewritten))]), ["ok"]);
      assert.deepEqual(await storage.videos.find(queued.id), task);
    }
  });

  test("change_video allows the transitions of the table and no others", async (storage) => {
    await fundProject(storage, 10_000n);
    const statuses = Object.keys(VIDEO_TRANSITIONS) as VideoStatus[];
    let callId = 0;
    for (const before of statuses) {
      for (const after of statuses) {
        for (const progress of [49, 50, 51]) {
          const created = sampleTask({ callId: ++callId });
          const claimed = claimedTask(created, { progress: 0 });
          const stored = { ...inStatus(created, before), revision: 3 };
          const { revision: _, ...target } = inStatus(created, after);
          const next = { ...target, progress, revision: 4 };
          const steps: Entry[] = before === "queued"
            ? [changeEntry(nextTask(created, {})), changeEntry(stored)]
            : [changeEntry(claimed), changeEntry(stored)];
          const setUp = await storage.commitBatch([createEntry(created, { heldE8: 0n }), ...steps]);
          assert.deepEqual(words(setUp), ["ok", "ok", "ok"], `${before} ${JSON.stringify(setUp)}`);
          const isAllowed = progress >= 50 &&
            (before === after || VIDEO_TRANSITIONS[before].includes(after));
          // An attempt never falls either; a claimed task has its number.
          const attempt = Math.max(stored.attempt, next.attempt);
          const result = await commitOne(storage, changeEntry({ ...next, attempt }));
          const what = `${before} to ${after} at ${progress} %`;
          assert.deepEqual(words([result]), [isAllowed ? "ok" : "conflict"], what);
          assert.equal((await storage.videos.find(created.id))!.revision, isAllowed ? 4 : 3, what);
        }
      }
    }
  });

  test("change_video compares the revision; a deleted task is missing", async (storage) => {
    await fundProject(storage, 1_000n);
    const task = sampleTask();
    const claimed = claimedTask(task, { progress: 3 });
    await commitEach(storage, [createEntry(task), changeEntry(claimed)]);
    const falling = nextTask(claimed, { progress: 2 });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          changeEntry(claimed),
          changeEntry({ ...claimed, revision: 4 }),
          changeEntry({ ...claimed, revision: 0 }),
          changeEntry(falling),
          changeEntry({ ...nextTask(claimed, {}), callId: 9 }),
          changeEntry(nextTask(claimed, { attempt: 0 })),
          { kind: "delete_video", taskId: task.id, revision: 1 },
          { kind: "delete_video", taskId: task.id, revision: 3 },
        ]),
      ),
      [
        "conflict",
        "conflict",
        "conflict",
        "conflict",
        "conflict",
        "failed",
        "conflict",
        "conflict",
      ],
    );
    assert.deepEqual(await storage.videos.find(task.id), claimed);
    const [result] = await storage.commitBatch([changeEntry(falling)]);
    assert.match(
      result!.ok ? "" : result!.message,
      /cannot go from in_progress at 3 % to in_progress at 2 %/,
    );
    const remove: Entry = {
      kind: "delete_video",
      taskId: task.id,
      revision: 2,
      close: releasedTaskCall(task),
    };
    assert.deepEqual(
      words(
        await commitEach(storage, [
          remove,
          remove,
          changeEntry(nextTask(claimed, {})),
          { kind: "delete_video", taskId: "x", revision: 1 },
        ]),
      ),
      ["ok", "missing", "missing", "missing"],
    );
    assert.equal(await storage.videos.find(task.id), undefined);
    assert.deepEqual(await acmeBalance(storage), { avail: 1_000n, held: 0n });
  });

  test("U+0000 in what others wrote is replaced, so that no task is stuck by it", async (storage) => {
    await fundProject(storage, 100n);
    const task = sampleTask({ prompt: "snow\0storm", fields: { note: "a\0b" } });
    const claimed = claimedTask(task, {
      job: { id: "j\0b", keyReference: undefined, startedAt: 1 },
    });
    const failed = failedTask(claimed, { error: { code: "a\0", message: "\0b" } });
    const results = await commitEach(storage, [
      createEntry(task),
      changeEntry(claimed),
      changeEntry(failed),
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "ok"]);
    assert.deepEqual(await storage.videos.find(task.id), {
      ...failed,
      prompt: "snow\ufffdstorm",
      job: { ...claimed.job, id: "j\ufffdb" },
      error: { code: "a\ufffd", message: "\ufffdb" },
    });
  });

  test("an unlimited project's task holds nothing and is never charged", async (storage) => {
    await storage.commitBatch([
      { kind: "create_project", project: sampleProject({ unlimited: true }) },
    ]);
    const task = sampleTask();
    const free = { unlimited: true, heldE8: 0n };
    const results = await commitEach(storage, [
      createEntry(task, free),
      changeEntry(claimedTask(task)),
      {
        kind: "change_video",
        task: completedTask(claimedTask(task)),
        close: closedTaskCall(task, { ...free, chargedE8: 0n }),
      },
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "ok"]);
    assert.deepEqual(await acmeBalance(storage), { avail: 0n, held: 0n });
  });
}
