/**
 * A short search for slow bodies, always the same one; `deno task fuzz` searches longer.
 *
 * @module
 */

import assert from "node:assert/strict";
import { searchSlowBodies } from "./slow_bodies/search.ts";

Deno.test("no body costs many times what a text of its size costs", async () => {
  const { bodies, faults } = await searchSlowBodies({ seed: 7, bodies: 60 });
  assert.deepEqual(faults, []);
  assert.equal(bodies, 60);
});
