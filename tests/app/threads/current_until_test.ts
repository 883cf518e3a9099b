/**
 * Until when threads count what the main thread knows of other nodes' changes.
 *
 * @module
 */

import assert from "node:assert/strict";
import { makeBuffers, SharedMemory } from "../../../src/app/threads/shared_memory.ts";

function clock(monotonic: number, wall: number) {
  return { monotonic: () => monotonic, now: () => wall };
}

Deno.test("threads count what is known for as long as the main thread says, by both clocks", () => {
  const { buffers } = new SharedMemory(makeBuffers(2));
  const [main, thread] = [new SharedMemory(buffers), new SharedMemory(buffers)];
  // Nobody else changes anything.
  assert.equal(thread.isCurrent(clock(1e9, 2e12)), true);
  main.setCurrentUntil({ monotonic: 5_000.5, wall: 1_700_000_005_000.5 });
  assert.equal(thread.isCurrent(clock(5_000, 1_700_000_005_000)), true);
  // The machine has gone on, or has slept.
  assert.equal(thread.isCurrent(clock(5_002, 1_700_000_005_000)), false);
  assert.equal(thread.isCurrent(clock(5_000, 1_700_000_005_002)), false);
  main.setCurrentUntil({ monotonic: 6_000, wall: 1_700_000_006_000 });
  assert.equal(thread.isCurrent(clock(5_500, 1_700_000_005_500)), true);
});
