/**
 * The storage suite's part about how much projects keep.
 *
 * @module
 */

import assert from "node:assert/strict";
import { ANSWER_ROW_BYTES, type KeptBytes } from "../../src/domain/kept_bytes.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import { keptAnswer, sampleResponse } from "./storage_responses_suite.ts";
import {
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  words,
} from "./storage_samples.ts";
import type { StorageTest } from "./storage_test_case.ts";
import { createEntry, sampleAnswer, sampleTask } from "./storage_video_samples.ts";

const LATER = NOON_ISH + 1_000_000_000_000;

function bytesOf(...texts: (string | undefined)[]): number {
  return texts.reduce((sum, text) => sum + new TextEncoder().encode(text ?? "").length, 0);
}

/** What answers for repeated requests count for, one without a body too. */
function answerBytes(...bodies: (string | undefined)[]): number {
  return bodies.length * ANSWER_ROW_BYTES + bytesOf(...bodies);
}

async function kept(storage: Storage): Promise<readonly KeptBytes[]> {
  const { projects } = await storage.kept.load();
  return [...projects].sort((one, other) => one.projectId < other.projectId ? -1 : 1);
}

/** What a project keeps, `acme` unless told otherwise. */
function sums(changes: Partial<KeptBytes> = {}): KeptBytes {
  return { projectId: "acme", answers: 0, responses: 0, unfinished: 0, ...changes };
}

const put = (response = sampleResponse()): Entry => ({ kind: "put_response", response });

/** Registers the tests about what projects keep. */
export function testKept(
  test: StorageTest,
  { reusesItsFile }: { readonly reusesItsFile: boolean },
): void {
  test("what is kept since a time is told with its size and age, of every project", async (storage) => {
    const old = sampleResponse();
    const edge = sampleResponse({ callId: 2, createdAt: old.createdAt + 1 });
    const others = sampleResponse({ callId: 3, projectId: "other", createdAt: LATER });
    await storage.commitBatch([put(old), put(edge), put(others)]);
    assert.deepEqual(await storage.kept.since(edge.createdAt), [
      { projectId: "acme", createdAt: edge.createdAt, bytes: bytesOf(edge.input, edge.body) },
      { projectId: "other", createdAt: LATER, bytes: bytesOf(others.input, others.body) },
    ]);
    assert.deepEqual(await storage.kept.since(LATER + 1), []);
  });

  test("what is kept is counted in bytes, by project, until it is deleted", async (storage) => {
    assert.deepEqual(await kept(storage), []);
    const first = sampleResponse();
    const second = sampleResponse({ callId: 2, projectId: "other", input: `["漢"]` });
    const answer = sampleAnswer();
    const results = await storage.commitBatch([
      put(first),
      put(second),
      { kind: "store_answer", record: answer },
    ]);
    assert.deepEqual(words(results), ["ok", "ok", "ok"]);
    const own = bytesOf(first.input, first.body);
    const others = bytesOf(second.input, second.body);
    const answers = answerBytes(answer.body);
    assert.deepEqual(results.map((result) => result.ok && result.kept?.projects), [
      [sums({ responses: own })],
      [sums({ projectId: "other", responses: others })],
      [sums({ responses: own, answers })],
    ]);
    assert.deepEqual(await kept(storage), [
      sums({ responses: own, answers }),
      sums({ projectId: "other", responses: others }),
    ]);
    const removed = await commitOne(storage, {
      kind: "delete_response",
      responseId: first.id,
      projectId: "acme",
    });
    assert.deepEqual(removed.ok && removed.kept?.projects, [sums({ answers })]);
    // The same id twice, or one that is not there, counts for nothing.
    const refused = await commitEach(storage, [
      put(second),
      { kind: "delete_response", responseId: second.id, projectId: "acme" },
    ]);
    assert.deepEqual(words(refused), ["conflict", "missing"]);
    assert.deepEqual(await kept(storage), [
      sums({ answers }),
      sums({ projectId: "other", responses: others }),
    ]);
  });

  test("an answer that is still to come is counted as such until it is there", async (storage) => {
    await fundProject(storage, 1_000n);
    const queued = sampleResponse({ isBackground: true, status: "queued", body: "{}" });
    await commitOne(storage, put(queued));
    const before = bytesOf(queued.input, queued.body);
    assert.deepEqual(await kept(storage), [sums({ responses: before, unfinished: before })]);
    const done = { ...queued, status: "completed", body: `{"output":["a longer text"]}` } as const;
    await commitOne(storage, { kind: "close", call: sampleClosedCall(), response: done });
    assert.deepEqual(await kept(storage), [sums({ responses: bytesOf(done.input, done.body) })]);
    // Deleted meanwhile: what would replace it counts for nothing.
    await commitOne(storage, put({ ...queued, callId: 2, id: "resp_2" }));
    await commitOne(storage, {
      kind: "delete_response",
      responseId: "resp_2",
      projectId: "acme",
    });
    await commitOne(storage, {
      kind: "change_response",
      response: { ...done, callId: 2, id: "resp_2" },
    });
    assert.deepEqual(await kept(storage), [sums({ responses: bytesOf(done.input, done.body) })]);
  });

  test("what replaces an answer, expires or goes with its subject is counted no more", async (storage) => {
    await fundProject(storage, 1_000n);
    const long = sampleAnswer({ body: "a longer body than the next one", expiresAt: NOON_ISH });
    await commitOne(storage, { kind: "store_answer", record: long });
    const next = sampleAnswer({ createdAt: NOON_ISH, body: "short", expiresAt: NOON_ISH + 5 });
    await commitOne(storage, { kind: "store_answer", record: next });
    assert.deepEqual(await kept(storage), [sums({ answers: answerBytes("short") })]);
    const unkept = sampleAnswer({ createdAt: NOON_ISH + 5, body: undefined, expiresAt: LATER });
    await commitOne(storage, { kind: "store_answer", record: unkept });
    assert.deepEqual(await kept(storage), [sums({ answers: answerBytes(undefined) })]);

    const task = sampleTask({ callId: 9 });
    const telling = sampleAnswer({ key: "film", body: "film", expiresAt: LATER });
    const create = { ...createEntry(task), idempotency: telling } as Entry;
    assert.deepEqual(words([await commitOne(storage, create)]), ["ok"]);
    assert.deepEqual(await kept(storage), [sums({ answers: answerBytes(undefined, "film") })]);
    await commitOne(storage, {
      kind: "audited",
      changes: [{ kind: "delete_video", taskId: task.id, revision: 1 }],
      note: {
        operation: "videos.delete",
        subject: `video:${task.id}`,
        before: {},
        after: undefined,
        at: NOON_ISH,
        actor: { channel: "in_process", user: undefined, address: undefined },
        requestId: undefined,
      },
    });
    assert.deepEqual(await kept(storage), [sums({ answers: answerBytes(undefined) })]);

    await commitOne(storage, put());
    await commitOne(storage, {
      kind: "store_answer",
      record: sampleAnswer({ key: "other", body: "1234", expiresAt: NOON_ISH + 9 }),
    });
    const forgotten = await commitOne(storage, {
      kind: "forget",
      answersExpiredAt: LATER,
      messagesDoneBefore: 0,
    });
    assert.deepEqual(forgotten.ok && forgotten.kept?.projects, [sums()]);
    assert.deepEqual(await kept(storage), [sums()]);
    assert.equal((await storage.kept.load()).reusableBytes % 512, 0);
  });

  test("evict_responses removes a project's oldest answers that have ended, and no more than it must", async (storage) => {
    const aged = (callId: number, age: number, changes = {}) =>
      put({ ...keptAnswer(callId), createdAt: NOON_ISH - age, ...changes });
    const each = bytesOf(keptAnswer(1).input, keptAnswer(1).body);
    await commitEach(storage, [
      aged(1, 10),
      aged(2, 40),
      aged(3, 30),
      aged(4, 50, { isBackground: true, status: "queued" }),
      aged(5, 60, { projectId: "other" }),
      { kind: "store_answer", record: sampleAnswer({ body: "", expiresAt: LATER }) },
    ]);
    const evict = (mostBytes: number, createdBefore = NOON_ISH): Entry => ({
      kind: "evict_responses",
      projectId: "acme",
      mostBytes,
      createdBefore,
    });
    const left = async () => {
      const found = await Promise.all([1, 2, 3, 4, 5].map((callId) =>
        storage.responses.find({
          projectId: callId === 5 ? "other" : "acme",
          responseId: `resp_${callId}`,
        })
      ));
      return found.flatMap((response) => response?.callId ?? []);
    };
    const answers = answerBytes("");
    const result = await commitOne(storage, evict(4 * each + answers));
    assert.deepEqual(result, { ok: true, hasMore: false });
    assert.deepEqual(await left(), [1, 2, 3, 4, 5]);
    await commitOne(storage, evict(4 * each + answers - 1));
    assert.deepEqual(await left(), [1, 3, 4, 5], "the oldest that has ended");
    await commitOne(storage, evict(0, NOON_ISH - 10));
    assert.deepEqual(await left(), [1, 4, 5], "not the young one, and no other project's");
    assert.deepEqual(await kept(storage), [
      sums({ answers, responses: 2 * each, unfinished: each }),
      sums({ projectId: "other", responses: each }),
    ]);
    assert.deepEqual(
      await storage.responses.owners({ projectId: "acme", itemIds: ["msg_1", "msg_2"] }),
      ["resp_1", undefined],
      "what referred to its items finds nothing",
    );
  });

  test("evict_responses is bounded in bytes, and says when there is more to remove", async (storage) => {
    const body = JSON.stringify({ text: "x".repeat(20 * 1024 ** 2) });
    for (let callId = 1; callId <= 3; callId++) {
      await commitOne(storage, put({ ...sampleResponse({ callId, body }), createdAt: callId }));
    }
    const evict: Entry = {
      kind: "evict_responses",
      projectId: "acme",
      mostBytes: 0,
      createdBefore: NOON_ISH,
    };
    const first = await commitOne(storage, evict);
    assert.equal(first.ok && first.hasMore, true);
    const reusable = first.ok ? first.kept!.reusableBytes : NaN;
    assert.equal(reusable >= 40 * 1024 ** 2, reusesItsFile);
    const second = await commitOne(storage, evict);
    assert.equal(second.ok && second.hasMore, false);
    assert.deepEqual(await kept(storage), [sums()]);
  });
}
