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
import {
  acmeBalance,
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  words,
} from "./storage_samples.ts";
import { sampleResponse } from "./storage_responses_suite.ts";
import { releasedTaskCall, sampleAnswer, sampleTask, taskCall } from "./storage_video_samples.ts";

const store = (changes: Partial<IdempotencyRecord> = {}): Entry => ({
  kind: "store_answer",
  record: sampleAnswer(changes),
});

/** Registers the tests about answers for repeated requests. */
export function testAnswers(
  test: StorageTest,
  { forgottenRows }: { readonly forgottenRows: number },
): void {
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
    const answers = Array.from(
      { length: forgottenRows + 1 },
      (_, index) => store({ key: `${index}` }),
    );
    await storage.commitBatch(answers);
    const forget: Entry = {
      kind: "forget",
      answersExpiredAt: sampleAnswer().expiresAt,
      messagesDoneBefore: 0,
    };
    for (const hasMore of [true, false, false]) {
      const result = await commitOne(storage, forget);
      assert.equal(result.ok && result.hasMore, hasMore);
    }
    assert.equal(await storage.answers.find(sampleAnswer({ key: `${forgottenRows}` })), undefined);
  });

  test("forget removes large answers a few at a time", async (storage) => {
    const body = "x".repeat(15 * 1024 * 1024);
    for (const key of ["a", "b", "c", "d"]) await commitEach(storage, [store({ key, body })]);
    const { expiresAt } = sampleAnswer();
    await commitEach(storage, [store({ key: "live", expiresAt: expiresAt + 1 })]);
    const forget: Entry = {
      kind: "forget",
      answersExpiredAt: expiresAt,
      messagesDoneBefore: 0,
    };
    for (const [hasMore, left] of [[true, 1], [false, 0]] as const) {
      const result = await commitOne(storage, forget);
      assert.equal(result.ok && result.hasMore, hasMore);
      const found = await Promise.all(
        ["a", "b", "c", "d"].map((key) => storage.answers.find(sampleAnswer({ key }))),
      );
      assert.equal(found.filter((answer) => answer !== undefined).length, left);
    }
    assert.equal((await storage.answers.find(sampleAnswer({ key: "live" })))!.key, "live");
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

  test("store_answer keeps who served a stream, and that a body was too large", async (storage) => {
    const streamed = sampleAnswer({ stream: { provider: "remote", route: "remote/m" } });
    const tooLarge = sampleAnswer({ key: "large", body: undefined });
    const results = await commitEach(storage, [
      { kind: "store_answer", record: streamed },
      { kind: "store_answer", record: tooLarge },
      store({ key: "served by", stream: { provider: "remote", route: "" } }),
      store({ key: "of nobody", requestId: "" }),
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "failed", "failed"]);
    assert.deepEqual(await storage.answers.find(streamed), streamed);
    assert.deepEqual(await storage.answers.find(tooLarge), tooLarge);
    const sizes = [streamed, tooLarge, sampleAnswer({ key: "none" })]
      .map((scope) => storage.answers.size(scope));
    assert.deepEqual(await Promise.all(sizes), [streamed.body!.length, 0, undefined]);
  });

  test("close stores the answer of its call, in the place of any other, or nothing at all", async (storage) => {
    await fundProject(storage, 1_000n);
    const [answer, other] = [sampleAnswer(), sampleAnswer({ body: "other" })];
    const close = (callId: number, idempotency: IdempotencyRecord): Entry => ({
      kind: "close",
      call: sampleClosedCall({ callId }),
      idempotency,
    });
    assert.deepEqual(words(await commitEach(storage, [close(1, other), close(2, answer)])), [
      "ok",
      "ok",
    ]);
    assert.deepEqual(await storage.answers.find(answer), answer);
    const balance = await acmeBalance(storage);
    const refused = [close(2, sampleAnswer({ key: "again" })), close(3, sampleAnswer({ key: "" }))];
    assert.deepEqual(words(await commitEach(storage, refused)), ["conflict", "failed"]);
    assert.equal(await storage.answers.find(sampleAnswer({ key: "again" })), undefined);
    assert.deepEqual(await acmeBalance(storage), balance, "money and answer fail together");
  });

  test("delete_response removes every answer that tells of it, and no other", async (storage) => {
    await fundProject(storage, 1_000n);
    const record = (key: string) => sampleAnswer({ key });
    const kept = sampleResponse({ callId: 1 });
    const begun = sampleResponse({ callId: 2, isBackground: true, status: "queued" });
    const of = (responseId: string, projectId = "acme"): Entry => ({
      kind: "delete_response",
      responseId,
      projectId,
    });
    const results = await commitEach(storage, [
      {
        kind: "close",
        call: sampleClosedCall({ callId: 1 }),
        response: kept,
        idempotency: record("a"),
      },
      { kind: "put_response", response: begun, idempotency: record("b") },
      { kind: "store_answer", record: record("c"), responseId: begun.id },
      store({ key: "d" }),
      { kind: "put_response", response: sampleResponse({ callId: 3 }), idempotency: record("b") },
      of(kept.id, "other"),
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "ok", "ok", "conflict", "missing"]);
    const found = async () => {
      const all = await Promise.all(
        ["a", "b", "c", "d"].map((key) => storage.answers.find(record(key))),
      );
      return all.flatMap((answer) => answer?.key ?? []).join("");
    };
    assert.equal(await found(), "abcd");
    assert.deepEqual(words(await commitEach(storage, [of(kept.id)])), ["ok"]);
    assert.equal(await found(), "bcd");
    assert.deepEqual(words(await commitEach(storage, [of(begun.id)])), ["ok"]);
    assert.equal(await found(), "d");
    const late: Entry = { kind: "store_answer", record: record("c"), responseId: begun.id };
    assert.deepEqual(words(await commitEach(storage, [late])), ["missing"]);
    assert.equal(await found(), "d", "what is deleted is told of no more");
  });
}
