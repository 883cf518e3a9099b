/**
 * Money comes from nowhere but the administrator, and every call is charged
 * (new-api CVE-2026-41432, Bifrost #7303).
 *
 * @module
 */

import assert from "node:assert/strict";
import { tryForgedMoney } from "../../support/security/corpora/forged_money.ts";
import { SecurityWorld } from "../../support/security/security_world.ts";

Deno.test("no credit comes from strangers or comes twice, and no forged id makes a call free", async () => {
  await using world = await SecurityWorld.start();
  const { tried, broken } = await tryForgedMoney(world);
  assert.deepEqual(broken, []);
  assert.ok(tried > 400, `only ${tried} cases were tried`);
});
