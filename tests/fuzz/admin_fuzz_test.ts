/**
 * A short fuzzing run of administration, always the same one; the nightly one is longer.
 *
 * @module
 */

import assert from "node:assert/strict";
import { runAdminFuzz } from "./admin/run_admin_fuzz.ts";

Deno.test("administration answers odd requests of every role by name, tells nobody too much, and refused changes nothing", async () => {
  const { faults, tally, byRole, refused } = await runAdminFuzz({ seed: 14, cases: 700 });
  assert.deepEqual(faults, []);
  assert.deepEqual(tally.unreached, []);
  assert.equal(byRole.size, 6);
  assert.ok(refused > 300, `only ${refused} were refused`);
});
