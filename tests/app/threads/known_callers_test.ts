import assert from "node:assert/strict";
import { KnownCallers } from "../../../src/app/threads/known_callers.ts";
import type { ThreadCaller } from "../../../src/app/threads/thread_protocol.ts";

const FOUND = {
  caller: { project: { id: "p", disabled: false }, key: { id: "k", disabled: false } },
  slot: 0,
  projectGauge: undefined,
  keyGauge: undefined,
} as ThreadCaller;

Deno.test("a caller is not known by what was true before a change of keys and projects", async () => {
  const shared = { callersVersion: 1 };
  let asked = 0;
  const callers = new KnownCallers(shared, { ask: () => void asked++, onLearnt() {} });
  const first = callers.serves(["sk"]);
  callers.learnt(1, 1, FOUND);
  // Another thread changes it before the request goes on.
  shared.callersVersion = 2;
  assert.equal(await first, false);
  assert.equal(callers.resolve("sk", 0).kind, "unknown");
  const second = callers.serves(["sk"]);
  callers.learnt(2, 2, FOUND);
  assert.equal(await second, true);
  assert.equal(callers.serves(["sk"]), true);
  assert.equal(asked, 2);
});
