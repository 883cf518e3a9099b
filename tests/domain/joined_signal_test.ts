import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { JoinedSignal } from "../../src/domain/joined_signal.ts";

Deno.test("JoinedSignal fires with the first of its sources, for that one's reason", () => {
  const [one, other] = [new AbortController(), new AbortController()];
  using joined = new JoinedSignal([one.signal, other.signal]);
  assert.equal(joined.signal.aborted, false);
  other.abort("enough");
  one.abort("too late");
  assert.deepEqual([joined.signal.aborted, joined.signal.reason], [true, "enough"]);
  using late = new JoinedSignal([new AbortController().signal, one.signal]);
  assert.deepEqual([late.signal.aborted, late.signal.reason], [true, "too late"]);
});

Deno.test("JoinedSignal leaves nothing behind at a source that outlives it", () => {
  const source = new AbortController();
  {
    using _joined = new JoinedSignal([source.signal, new AbortController().signal]);
    assert.equal(getEventListeners(source.signal, "abort").length, 1);
  }
  assert.equal(getEventListeners(source.signal, "abort").length, 0);
});
