/**
 * The storage suite's part about answers for repeated requests.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { IdempotencyRecord } from "../../src/domain/idempotency.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { StorageTest } from "./storage_test_case.ts";
import { commitEach, NOON_ISH, words } from "./storage_samples.ts";
import { sampleAnswer } from "./storage_video_samples.ts";

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
      { kind: "forget", beforeMs: NOON_ISH + 10 },
    ]);
    assert.equal(await storage.answers.find(sampleAnswer({ key: "a" })), undefined);
    assert.equal((await storage.answers.find(sampleAnswer({ key: "b" })))!.key, "b");
  });
}
