/**
 * Which sessions are silent, as one sees it who may stand still itself.
 *
 * @module
 */

import assert from "node:assert/strict";
import { type LiveSession, Observation } from "../../../src/storage/postgres/session_register.ts";

/** One that has beaten so often. */
function session(beatNo: number): LiveSession {
  return { session: 1, node: "n", label: "node n", slot: 0, beatNo: String(beatNo) };
}

function observe(): (atMs: number, beatNo: number) => readonly number[] {
  let now = 0;
  const observation = new Observation(20_000, () => {}, () => now);
  return (atMs, beatNo) => {
    now = atMs;
    return observation.silent([session(beatNo)]);
  };
}

Deno.test("a session is silent whose beats have stood still for the whole time", () => {
  const look = observe();
  for (let atMs = 0; atMs < 20_000; atMs += 250) assert.deepEqual(look(atMs, 7), []);
  assert.deepEqual(look(20_000, 7), [1]);
  assert.deepEqual(look(20_250, 8), []);
});

Deno.test("whoever has stood still itself gives all others their time again", () => {
  const look = observe();
  for (let atMs = 0; atMs <= 1_000; atMs += 250) assert.deepEqual(look(atMs, 7), []);
  // All processes were stopped for half a minute, and this one is the first that goes on.
  assert.deepEqual(look(31_000, 7), []);
  for (let atMs = 31_250; atMs < 51_000; atMs += 250) assert.deepEqual(look(atMs, 7), []);
  assert.deepEqual(look(51_000, 7), [1]);
});
