/**
 * The storage suite's part about answers for repeated requests.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import type { VideoTask } from "../../src/domain/video_task.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import { commitEach, fundProject, NOON_ISH, words } from "./storage_samples.ts";
import { releasedTaskCall, sampleAnswer, sampleTask, taskCall } from "./storage_video_samples.ts";

const store = (changes: Partial<IdempotencyRecord> = {}): Entry => ({
  kind: "store_answer",
  record: sampleAnswer(changes),
});

/** Registers the tests about answers for repeated requests. */
export function testAnswers(test: StorageTest): void {
  test("store_answer keeps one live answer for each project, path and key", async (storage) => {
    const odd = sampleAnswer({ key: `it's "漢字"`, status: 201, body: `{"a":"🚀\\u0000"}` });
    assert.equal(await storage.answers.find(odd), undefined);
    assert.deepEqual(
      words(
        await commitEach(storage, [
          store(),
          store({ body: "another" }),
          store({ path: "/chat/completions" }),
          store({ projectId: "other" }),
          { kind: "store_answer", record: odd },
          store({ key: "a\0b" }),
          store({ key: "" }),
          store({ key: "late", status: 99 }),
        ]),
      ),
      ["ok", "conflict", "ok", "ok", "ok", "failed", "failed", "failed"],
    );
    const { answers } = storage;
    assert.deepEqual(await answers.find(sampleAnswer()), sampleAnswer());
    assert.deepEqual(await answers.find(odd), odd);
    assert.equal((await answers.find(sampleAnswer({ projectId: "other" })))!.projectId, "other");
    assert.equal(await answers.find(sampleAnswer({ key: "ORDER-1" })), undefined);
    assert.deepEqual(words(await storage.commitBatch([store({ key: "b" }), store({ key: "b" })])), [
      "ok",
      "conflict",
    ]);
  });

  test("store_answer replaces an expired answer", async (storage) => {
    const first = { createdAt: NOON_ISH, expiresAt: NOON_ISH + 10 };
    const second = { createdAt: NOON_ISH + 10, expiresAt: NOON_ISH + 20, status: 201 };
    const next = { ...second, body: "new", fingerprint: "e".repeat(64) };
    assert.deepEqual(
      words(
        await commitEach(storage, [
          store(first),
          store({ ...next, createdAt: NOON_ISH + 9 }),
          store(next),
          store({ ...next, body: "newer" }),
        ]),
      ),
      ["ok", "conflict", "ok", "conflict"],
    );
    assert.deepEqual(await storage.answers.find(sampleAnswer()), sampleAnswer(next));
  });

  test("forget removes expired answers and no others", async (storage) => {
    await commitEach(storage, [
      store({ key: "a", expiresAt: NOON_ISH + 10 }),
      store({ key: "b", expiresAt: NOON_ISH + 11 }),
      { kind: "forget", answersExpiredAt: NOON_ISH + 10, messagesDoneBefore: 0 },
    ]);
    assert.equal(await storage.answers.find(sampleAnswer({ key: "a" })), undefined);
    assert.equal((await storage.answers.find(sampleAnswer({ key: "b" })))!.key, "b");
  });

  test("forget says whether there may be more than it removed", async (storage) => {
    const answers = Array.from({ length: 10_001 }, (_, index) => store({ key: `${index}` }));
    await storage.commitBatch(answers);
    const forget: Entry = {
      kind: "forget",
      answersExpiredAt: sampleAnswer().expiresAt,
      messagesDoneBefore: 0,
    };
    for (const hasMore of [true, false, false]) {
      assert.deepEqual(await storage.commitBatch([forget]), [{ ok: true, hasMore }]);
    }
    assert.equal(await storage.answers.find(sampleAnswer({ key: "10000" })), undefined);
  });

  test("delete_video removes the answer that was stored with its task, and no other", async (storage) => {
    await fundProject(storage, 0n);
    const [task, other] = [sampleTask(), sampleTask({ callId: 2 })];
    const [told, others] = [sampleAnswer(), sampleAnswer({ key: "order-2" })];
    const create = (of: VideoTask, idempotency: IdempotencyRecord): Entry => ({
      kind: "create_video",
      task: of,
      call: taskCall(of, { heldE8: 0n }),
      idempotency,
    });
    const remove = (revision: number): Entry => ({
      kind: "delete_video",
      taskId: task.id,
      revision,
      close: releasedTaskCall(task, { heldE8: 0n }),
    });
    assert.deepEqual(
      words(await commitEach(storage, [create(task, told), create(other, others), remove(9)])),
      ["ok", "ok", "conflict"],
    );
    assert.deepEqual(await storage.answers.find(told), told, "a refused one removes nothing");
    assert.deepEqual(words(await commitEach(storage, [remove(1)])), ["ok"]);
    assert.equal(await storage.answers.find(told), undefined);
    assert.deepEqual(await storage.answers.find(others), others);
  });
}
