/**
 * What a project owns is nobody else's, whichever path, verb, alias or spelling is
 * tried (new-api CVE-2026-30886, Open WebUI CVE-2026-45402, -45671 and -45339).
 *
 * @module
 */

import assert from "node:assert/strict";
import { tryOwnership } from "../../support/security/corpora/ownership.ts";
import { ownerOfIds } from "../../support/security/owned_things.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";

Deno.test("no path, verb, alias or spelling shows a stranger what a project owns", async () => {
  await using world = await SecurityWorld.start();
  const { tried, broken } = await tryOwnership(world);
  assert.deepEqual(broken, []);
  assert.ok(tried > 1_500, `only ${tried} cases were tried`);
});

Deno.test("a path with an id that nobody has thought of is no path of the matrix", () => {
  assert.throws(() => ownerOfIds({ path: "/v1/nothings/{id}" }), /Cannot tell whose/);
});
