import assert from "node:assert/strict";
import { makeBuffers, SharedMemory } from "../../../src/app/threads/shared_memory.ts";

Deno.test("takeProbe() gives a route's probe to one thread a second, though their clocks differ a little", () => {
  const buffers = makeBuffers(2);
  const [one, other] = [new SharedMemory(buffers), new SharedMemory(buffers)];
  assert.equal(one.takeProbe("a/m", 5_000), true);
  assert.equal(other.takeProbe("a/m", 5_000), false);
  assert.equal(other.takeProbe("a/m", 4_998), false);
  assert.equal(other.takeProbe("a/m", 5_300), false);
  assert.equal(other.takeProbe("a/m", 6_000), true);
  assert.equal(one.takeProbe("a/m", 6_000), false);
});

Deno.test("a call that begins in a thread is counted for all at once, till it has ended", () => {
  const buffers = makeBuffers(2);
  const thread = new SharedMemory(buffers).thread(1);
  const seen = () => new SharedMemory(buffers).thread(1).load;
  thread.callBegun();
  thread.callBegun();
  assert.deepEqual(seen(), { calls: 2, streams: 0, connections: 0, begun: 2 });
  thread.callEnded();
  thread.beat({ streams: 1, connections: 3 });
  assert.deepEqual(seen(), { calls: 1, streams: 1, connections: 3, begun: 2 });
});
