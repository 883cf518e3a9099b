/**
 * The turns of large bodies.
 *
 * @module
 */

import assert from "node:assert/strict";
import { LargeBodyTurns, MOST_WAIT_MS } from "../../src/limits/large_body_turns.ts";
import { FakeClock } from "../support/fake_clock.ts";

const MIB = 1024 ** 2;

Deno.test("LargeBodyTurns takes some of the largest bodies at once, then at a steady rate", () => {
  const clock = new FakeClock();
  const turns = new LargeBodyTurns(clock);
  const waits = Array.from({ length: 7 }, () => turns.turnInMs("shop", 16 * MIB));
  assert.deepEqual(waits, [0, 0, 0, 0, 0, 1_000, 2_000]);
  clock.advance(2_500);
  assert.equal(turns.turnInMs("shop", 16 * MIB), 500);
  clock.advance(60_000);
  assert.equal(turns.turnInMs("shop", 16 * MIB), 0);
});

Deno.test("LargeBodyTurns lets nobody wait for another's bodies, nor small bodies at all", () => {
  const turns = new LargeBodyTurns(new FakeClock());
  turns.turnInMs("shop", 1_024 * MIB);
  assert.equal(turns.turnInMs("garden", 20 * MIB), 0);
  assert.equal(turns.turnInMs("shop", 200_000), 0);
});

Deno.test("LargeBodyTurns counts a body of unknown length for those behind it", () => {
  const turns = new LargeBodyTurns(new FakeClock());
  assert.equal(turns.turnInMs("shop", 0), 0);
  turns.turnInMs("shop", 96 * MIB);
  assert.equal(turns.turnInMs("shop", 0), 2_000);
  assert.equal(turns.turnInMs("shop", 0), 2_000, "asking is not counted");
});

Deno.test("LargeBodyTurns counts no body that would wait too long, so that the queue ends", () => {
  const clock = new FakeClock();
  const turns = new LargeBodyTurns(clock);
  const waits = Array.from({ length: 1_000 }, () => turns.turnInMs("shop", 16 * MIB));
  assert.equal(waits.filter((wait) => wait <= MOST_WAIT_MS).length, 35);
  assert.equal(turns.turnInMs("shop", 0), 31_000);
  clock.advance(1_000);
  assert.equal(turns.turnInMs("shop", 16 * MIB), 30_000, "a place in it is free");
  assert.equal(turns.turnInMs("shop", 16 * MIB), 31_000);
});
