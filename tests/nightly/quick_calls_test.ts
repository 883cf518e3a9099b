/**
 * Calls by callbacks are compared with those by promises at length, and over bytes of all kinds.
 *
 * @module
 */

import assert from "node:assert/strict";
import { mutatedTwinCase } from "../fuzz/mutate/mutated_twin_case.ts";
import { compareTwins } from "../support/twins/compare_twins.ts";
import { twinCase } from "../support/twins/twin_cases.ts";

const CASES = 4_000;

for (const [what, make] of [["odd calls", twinCase], ["odd bytes", mutatedTwinCase]] as const) {
  Deno.test(`${CASES} ${what} go the same way by callbacks as by promises`, async () => {
    const [seed = 0] = crypto.getRandomValues(new Uint32Array(1));
    const { differences } = await compareTwins({ seed, cases: CASES, make });
    assert.deepEqual(differences, [], `by seed ${seed}`);
  });
}
