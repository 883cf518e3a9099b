/**
 * A short fuzzing run of the program, always the same one; `deno task fuzz` is the long one.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runFuzz } from "./run_fuzz.ts";

Deno.test("the program answers odd requests by name, and keeps its books and its size", async () => {
  const { cases, faults, tally, unrecorded } = await runFuzz({ seed: 20, cases: 1_200 });
  assert.deepEqual(faults, []);
  assert.equal(cases, 1_200);
  assert.deepEqual(tally.unreached, []);
  assert.deepEqual(unrecorded, []);
});
