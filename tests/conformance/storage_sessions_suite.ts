/**
 * The storage suite's part about whose what is open is.
 *
 * @module
 */

import assert from "node:assert/strict";
import { EARLIER_SESSION, type SessionId } from "../../src/domain/session.ts";
import type { Storage } from "../../src/storage/ports/storage.ts";
import { sampleResponse } from "./storage_responses_suite.ts";
import {
  commitEach,
  fundProject,
  sampleClosedCall,
  sampleOpenCall,
  words,
} from "./storage_samples.ts";
import type { StorageTest } from "./storage_test_case.ts";

/** The ids of the calls and answers that a session has open. */
async function openOf(storage: Storage, session: SessionId): Promise<readonly number[][]> {
  const [calls, answers] = await Promise.all([
    storage.calls.abandonedCalls(session, 10),
    storage.responses.unfinished(session, 10),
  ]);
  return [calls.map(({ callId }) => callId), answers.map(({ callId }) => callId)];
}

/** Registers the tests about sessions. */
export function testSessions(test: StorageTest): void {
  test("what is written is the session's that has begun, until it ends", async (storage) => {
    await fundProject(storage, 10_000n);
    const open = async (callId: number) => {
      const call = sampleOpenCall({ callId });
      const response = sampleResponse({ callId, isBackground: true, status: "queued" });
      const entries = [{ kind: "hold", call }, { kind: "put_response", response }] as const;
      assert.deepEqual(words(await commitEach(storage, entries)), ["ok", "ok"]);
    };
    assert.deepEqual(await storage.sessions.withOpen(), []);
    await open(1);
    const first = await storage.beginSession();
    await open(2);
    const second = await storage.beginSession();
    await open(3);
    assert.deepEqual([EARLIER_SESSION < first, first < second], [true, true]);
    assert.deepEqual(await storage.sessions.withOpen(), [EARLIER_SESSION, first, second]);
    assert.deepEqual(await openOf(storage, EARLIER_SESSION), [[1], [1]]);
    assert.deepEqual(await openOf(storage, first), [[2], [2]]);
    assert.deepEqual(await openOf(storage, second), [[3], [3]]);

    // Another session moves a call and changes an answer: they stay whose they are.
    const response = sampleResponse({ callId: 2, isBackground: true, status: "in_progress" });
    await commitEach(storage, [
      { kind: "rehold", call: sampleOpenCall({ callId: 2, heldE8: 200n }) },
      { kind: "change_response", response },
      { kind: "close", call: sampleClosedCall({ callId: 1 }) },
    ]);
    assert.deepEqual(await openOf(storage, first), [[2], [2]]);
    assert.deepEqual(await openOf(storage, EARLIER_SESSION), [[], [1]]);

    const failed = [1, 2].map((callId) =>
      ({
        kind: "change_response",
        response: sampleResponse({ callId, isBackground: true, status: "failed" }),
      }) as const
    );
    const close = sampleClosedCall({ callId: 2, heldE8: 200n });
    await commitEach(storage, [...failed, { kind: "close", call: close }]);
    assert.deepEqual(await storage.sessions.withOpen(), [second]);
  });
}
