/**
 * The storage suite's part about kept answers of the Responses API.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { StoredResponse } from "../../src/domain/stored_response.ts";
import type { Entry } from "../../src/storage/ports/entry.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import {
  acmeBalance,
  commitEach,
  commitOne,
  fundProject,
  NOON_ISH,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "./storage_samples.ts";
import type { StorageTest } from "./storage_test_case.ts";

/** A kept answer; `resp_<callId>` unless told otherwise. */
export function sampleResponse(changes: Partial<StoredResponse> = {}): StoredResponse {
  const callId = changes.callId ?? 1;
  return {
    id: `resp_${callId}`,
    callId,
    projectId: "acme",
    status: "completed",
    isBackground: false,
    previousId: undefined,
    input: `[{"type":"message","role":"user","content":"Hello, \\"漢字\\" 🚀"}]`,
    body: `{"object":"response","output":[],"say":"\\u0000"}`,
    createdAt: NOON_ISH,
    expiresAt: NOON_ISH + 1_000,
    ...changes,
  };
}

/** An answer with an item `msg_<callId>`. */
export function keptAnswer(callId: number): StoredResponse {
  return sampleResponse({ callId, body: outputOf(`msg_${callId}`) });
}

/** An answer in the background that is still to come. */
function queued(changes: Partial<StoredResponse> = {}): StoredResponse {
  return sampleResponse({ isBackground: true, status: "queued", ...changes });
}

/** A body whose output has items of these ids. */
function outputOf(...ids: unknown[]): string {
  return JSON.stringify({ output: ids.map((id) => ({ id, type: "message" })) });
}

const put = (response: StoredResponse): Entry => ({ kind: "put_response", response });
const change = (response: StoredResponse): Entry => ({ kind: "change_response", response });
const remove = (responseId: string, projectId = "acme"): Entry => ({
  kind: "delete_response",
  responseId,
  projectId,
});

function find(storage: Storage, responseId: string, projectId = "acme") {
  return storage.responses.find({ projectId, responseId });
}

/** Registers the tests about kept answers. */
export function testResponses(test: StorageTest): void {
  test("close keeps the answer of its call in the same step", async (storage) => {
    await fundProject(storage, 1_000n);
    const first = sampleResponse({ previousId: "resp_0" });
    const second = sampleResponse({ callId: 2, status: "incomplete" });
    const third = sampleResponse({ callId: 3 });
    assert.deepEqual(
      words(
        await storage.commitBatch([
          { kind: "hold", call: sampleOpenCall() },
          { kind: "close", call: sampleClosedCall(), response: first },
          {
            kind: "close",
            call: sampleClosedCall({ callId: 2 }),
            response: second,
          },
          { kind: "close", call: sampleClosedCall({ callId: 3 }), response: third },
          { kind: "close", call: sampleClosedCall({ callId: 4 }) },
        ]),
      ),
      ["ok", "ok", "ok", "ok", "ok"],
    );
    assert.deepEqual(await find(storage, "resp_1"), first);
    assert.deepEqual(await find(storage, "resp_2"), second);
    assert.deepEqual(await find(storage, "resp_3"), third);
    assert.equal(await find(storage, "resp_4"), undefined);
    assert.equal(await find(storage, "resp_1", "other"), undefined);
    assert.equal(await find(storage, "RESP_1"), undefined);
  });

  test("a close that is refused keeps no answer", async (storage) => {
    await fundProject(storage, 100n);
    const response = sampleResponse({ callId: 2 });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "close", call: sampleClosedCall({ callId: 2, heldE8: 101n }), response },
          { kind: "close", call: sampleClosedCall({ callId: 2, chargedE8: 101n }), response },
          {
            kind: "close",
            call: sampleClosedCall({ callId: 2, projectId: "nobody" }),
            response: sampleResponse({ callId: 2, projectId: "nobody" }),
          },
        ]),
      ),
      ["conflict", "failed", "missing"],
    );
    assert.equal(await find(storage, "resp_2"), undefined);
    assert.equal(await find(storage, "resp_2", "nobody"), undefined);
    await commitEach(storage, [
      { kind: "close", call: sampleClosedCall() },
      { kind: "close", call: sampleClosedCall(), response: sampleResponse() },
    ]);
    assert.equal(await find(storage, "resp_1"), undefined);
  });

  test("an answer that cannot be kept leaves its call open", async (storage) => {
    await fundProject(storage, 1_000n);
    const close = (response: StoredResponse): Entry => ({
      kind: "close",
      call: sampleClosedCall(),
      response,
    });
    const before = await acmeBalance(storage);
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "hold", call: sampleOpenCall() },
          close(sampleResponse({ body: "{" })),
          close(sampleResponse({ input: "" })),
          close(sampleResponse({ status: "queued" })),
        ]),
      ),
      ["ok", "failed", "failed", "failed"],
    );
    assert.equal((await storage.calls.find(1))!.state, "open");
    assert.deepEqual(await acmeBalance(storage), { avail: before.avail - 100n, held: 100n });
    assert.equal((await storage.ledger.slice(0, 10)).length, 1);
    assert.deepEqual(words([await commitOne(storage, close(sampleResponse()))]), ["ok"]);
    assert.deepEqual(await find(storage, "resp_1"), sampleResponse());
  });

  test("an answer in the background is put, changed, replaced by its call's end", async (storage) => {
    await fundProject(storage, 1_000n);
    const working = queued({ status: "in_progress", body: `{"output":[],"a":1}` });
    const done = queued({ status: "completed", body: `{"output":[],"a":2}` });
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "hold", call: sampleOpenCall() },
          put(queued()),
          put(queued()),
          put(queued({ callId: 9, id: "resp_1" })),
          put(queued({ id: "resp_9" })),
        ]),
      ),
      ["ok", "ok", "conflict", "conflict", "conflict"],
    );
    assert.deepEqual(await find(storage, "resp_1"), queued());
    assert.deepEqual(await storage.responses.unfinished(0, 10), [queued()]);
    await commitOne(storage, change(working));
    assert.deepEqual(await storage.responses.unfinished(0, 10), [working]);
    await commitOne(storage, { kind: "close", call: sampleClosedCall(), response: done });
    assert.deepEqual(await find(storage, "resp_1"), done);
    assert.deepEqual(await storage.responses.unfinished(0, 10), []);
    assert.deepEqual(
      words([await commitOne(storage, change(queued({ callId: 2 })))]),
      ["missing"],
    );
  });

  test("a deleted answer stays deleted when its call ends", async (storage) => {
    await fundProject(storage, 1_000n);
    assert.deepEqual(
      words(
        await commitEach(storage, [
          { kind: "hold", call: sampleOpenCall() },
          put(queued()),
          remove("resp_1", "other"),
          remove("resp_2"),
          remove("resp_1"),
          remove("resp_1"),
          change(queued({ status: "failed" })),
          {
            kind: "close",
            call: sampleClosedCall(),
            response: queued({ status: "completed" }),
          },
        ]),
      ),
      ["ok", "ok", "missing", "missing", "ok", "missing", "missing", "ok"],
    );
    assert.equal(await find(storage, "resp_1"), undefined);
    assert.equal((await storage.calls.find(1))!.state, "settled");
    assert.deepEqual(await storage.responses.unfinished(0, 10), []);
  });

  test("unfinished answers are listed oldest first, up to a limit", async (storage) => {
    await storage.commitBatch([
      put(queued({ callId: 3 })),
      put(queued({ callId: 1, status: "in_progress" })),
      put(queued({ callId: 2, status: "cancelled" })),
      put(queued({ callId: 4, status: "failed" })),
      put(queued({ callId: 5, projectId: "other" })),
    ]);
    const ids = async (limit: number) =>
      (await storage.responses.unfinished(0, limit)).map(({ callId }) => callId);
    assert.deepEqual(await ids(10), [1, 3, 5]);
    assert.deepEqual(await ids(2), [1, 3]);
  });

  test("an output item is found in the newest answer of its project that has it", async (storage) => {
    const owners = (projectId: string, ...itemIds: string[]) =>
      storage.responses.owners({ projectId, itemIds });
    await storage.commitBatch([
      put(sampleResponse({ callId: 1, body: outputOf("msg_1", "fc_1", "msg_1") })),
      put(sampleResponse({ callId: 2, body: outputOf("msg_1") })),
      put(sampleResponse({ callId: 3, body: outputOf("msg_1"), projectId: "other" })),
      put(queued({ callId: 4, body: outputOf() })),
    ]);
    assert.deepEqual(await owners("acme", "fc_1", "msg_1", "none", "", "fc_1"), [
      "resp_1",
      "resp_2",
      undefined,
      undefined,
      "resp_1",
    ]);
    assert.deepEqual(await owners("other", "msg_1", "fc_1"), ["resp_3", undefined]);
    assert.deepEqual(await owners("acme"), []);
    await commitEach(storage, [
      change(queued({ callId: 4, status: "completed", body: outputOf("msg_4") })),
      remove("resp_2"),
    ]);
    assert.deepEqual(await owners("acme", "msg_1", "msg_4"), ["resp_1", "resp_4"]);
    await commitOne(storage, remove("resp_1"));
    assert.deepEqual(await owners("acme", "msg_1", "fc_1"), [undefined, undefined]);
  });

  test("an output whose items have no proper ids is kept all the same", async (storage) => {
    const odd = sampleResponse({
      body: JSON.stringify({
        output: [null, "text", 7, [], {}, { id: 7 }, { id: "" }, { id: "x".repeat(201) }, {
          id: "a\0b",
        }, { id: "ok_1" }],
      }),
    });
    const none = sampleResponse({ callId: 2, body: `{"output":"none"}` });
    assert.deepEqual(words(await storage.commitBatch([put(odd), put(none)])), ["ok", "ok"]);
    assert.deepEqual(await find(storage, "resp_1"), odd);
    assert.deepEqual(await storage.responses.owners({ projectId: "acme", itemIds: ["ok_1"] }), [
      "resp_1",
    ]);
  });

  test("forget removes expired kept answers with their items, and no others", async (storage) => {
    await commitEach(storage, [
      put(sampleResponse({ callId: 1, expiresAt: NOON_ISH + 10, body: outputOf("msg_1") })),
      put(sampleResponse({ callId: 2, expiresAt: NOON_ISH + 11, body: outputOf("msg_2") })),
      { kind: "forget", answersExpiredAt: NOON_ISH + 10, messagesDoneBefore: NOON_ISH + 10 },
    ]);
    assert.equal(await find(storage, "resp_1"), undefined);
    assert.notEqual(await find(storage, "resp_2"), undefined);
    assert.deepEqual(
      await storage.responses.owners({ projectId: "acme", itemIds: ["msg_1", "msg_2"] }),
      [undefined, "resp_2"],
    );
  });
}
