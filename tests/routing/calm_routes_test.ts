/**
 * Whether a model's routes need no look at each for what has befallen them.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Health } from "../../src/routing/health.ts";
import { route } from "../support/catalogue_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";

Deno.test("a failure is of concern to its route's model alone, until it is over", () => {
  const clock = new FakeClock();
  const health = new Health({ clock });
  const record = (outcome: "broken" | "success") =>
    health.record("r", { startedAt: clock.monotonic(), outcome });
  const [own, others] = [[route({ id: "r" }), route({ id: "s" })], [route({ id: "t" })]];
  assert.equal(health.isCalmOn(own), true);
  record("broken");
  assert.equal(health.isCalmOn(own), false);
  assert.equal(health.isCalmOn(own), false, "asking changes nothing");
  assert.equal(health.isTroubled("r"), true);
  assert.equal(health.isCalmOn(others), true);
  // Nobody calls it any more.
  clock.advance(24 * 3_600_000);
  assert.equal(health.isCalmOn(own), true);
  assert.equal(health.isTroubled("r"), false);
  record("success");
  assert.equal(health.isCalmOn(own), true);
});

Deno.test("of many troubled routes, those that nobody calls any more are over some day", () => {
  const clock = new FakeClock();
  const health = new Health({ clock });
  for (let index = 0; index < 30; index++) {
    health.record(`r${index}`, { startedAt: clock.monotonic(), outcome: "broken" });
  }
  const healthy = [route({ id: "t" })];
  for (let ask = 0; ask < 100; ask++) assert.equal(health.isCalmOn(healthy), false);
  clock.advance(24 * 3_600_000);
  health.record("r5", { startedAt: clock.monotonic(), outcome: "broken" });
  for (let ask = 0; ask < 30; ask++) health.isCalmOn(healthy);
  assert.equal(health.isCalmOn(healthy), true);
  assert.equal(health.isCalmOn([route({ id: "r5" })]), false);
});
