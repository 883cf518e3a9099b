/**
 * A short search for bytes by which calls by callbacks are told from those by promises, always the same
 * one; a longer one is made at night.
 *
 * @module
 */

import assert from "node:assert/strict";
import { compareTwins } from "../support/twins/compare_twins.ts";
import { mutatedTwinCase } from "./mutate/mutated_twin_case.ts";

Deno.test("odd bytes do the same to calls by callbacks as to those by promises", async () => {
  const { cases, differences } = await compareTwins({
    seed: 4,
    cases: 120,
    withinMs: 10_000,
    make: mutatedTwinCase,
  });
  assert.deepEqual(differences, []);
  assert.ok(cases > 0);
});
