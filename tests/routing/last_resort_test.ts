/**
 * Doubtful refusals, and the last route of a model: who may look at a route that
 * its health keeps out.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AttemptSample } from "../../src/routing/attempt_window.ts";
import { explainSelection } from "../../src/routing/explain.ts";
import { Health } from "../../src/routing/health.ts";
import { selectRoute } from "../../src/routing/select_route.ts";
import { route } from "../support/catalogue_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";
import { health as healthOf, question, waits } from "../support/route_question.ts";

function bench() {
  const clock = new FakeClock();
  const health = new Health({ clock });
  type Failed = Exclude<AttemptSample, { outcome: "success" }>;
  return {
    clock,
    health,
    succeed: () => health.record("r", { startedAt: clock.monotonic(), outcome: "success" }),
    fail: (outcome: Failed["outcome"], more: Partial<Failed> = {}) =>
      health.record("r", { startedAt: clock.monotonic(), ...more, outcome }),
    isCooling: () => health.coolingUntil("r") > clock.monotonic(),
  };
}

Deno.test("one project's doubtful refusals cool nothing, a second project's does", () => {
  const { fail, isCooling, health } = bench();
  for (let call = 0; call < 20; call++) fail("doubtful", { projectId: "one", status: 404 });
  assert.equal(isCooling(), false);
  assert.equal(health.isTroubled("r"), false);
  fail("doubtful", { projectId: "two", status: 402 });
  assert.equal(isCooling(), false, "another refusal");
  fail("doubtful", { projectId: "one", status: 402 });
  assert.equal(isCooling(), true);
});

Deno.test("a doubt ends with anybody's success, or after a minute", () => {
  const { fail, succeed, isCooling, clock } = bench();
  fail("doubtful", { projectId: "one", status: 401 });
  succeed();
  fail("doubtful", { projectId: "two", status: 401 });
  assert.equal(isCooling(), false);
  clock.advance(60_000);
  fail("doubtful", { projectId: "one", status: 401 });
  assert.equal(isCooling(), false);
  clock.advance(59_999);
  fail("doubtful", { projectId: "two", status: 401 });
  assert.equal(isCooling(), true);
});

Deno.test("a probe that is refused doubtfully keeps a cooling route cooling for its project", () => {
  const { fail, health, clock } = bench();
  const isCooling = (projectId: string) => health.coolingUntil("r", projectId) > clock.monotonic();
  fail("operator", { fault: "key" });
  clock.advance(50_000);
  assert.equal(health.beginLastResort("r", "one"), true);
  fail("doubtful", { projectId: "one", status: 401 });
  clock.advance(9_999);
  assert.deepEqual([isCooling("one"), isCooling("two")], [true, true]);
  clock.advance(1);
  assert.deepEqual([isCooling("one"), isCooling("two")], [true, false]);
  fail("doubtful", { projectId: "two", status: 401 });
  assert.deepEqual([isCooling("one"), isCooling("three")], [true, true]);
});

Deno.test("a request that is too large says nothing about its route", () => {
  const { fail, health } = bench();
  for (let call = 0; call < 20; call++) fail("oversized", { status: 429 });
  assert.equal(health.size, 0);
});

Deno.test("a route that cools for the operator's fault says which", () => {
  const { fail, health, clock } = bench();
  fail("operator", { fault: "model" });
  assert.equal(health.coolingFault("r"), "model");
  assert.equal(health.isDown("r"), true);
  clock.advance(60_000);
  assert.equal(health.coolingFault("r"), undefined);
  assert.equal(health.isDown("r"), false);
});

for (const outcome of ["broken", "operator"] as const) {
  Deno.test(`after ${outcome} a last route is probed by one call at a time, once a second`, () => {
    const { fail, succeed, isCooling, health, clock } = bench();
    for (let attempt = 0; attempt < 5; attempt++) fail(outcome);
    assert.equal(health.beginAttempt("r"), false);
    assert.equal(health.beginLastResort("r"), false);
    assert.equal(health.lastResortFrom("r"), clock.monotonic() + 1_000);
    clock.advance(1_000);
    assert.equal(health.beginAttempt("r"), false);
    assert.deepEqual([1, 2, 3].map(() => health.beginLastResort("r")), [true, false, false]);
    clock.advance(5_000);
    assert.equal(health.beginLastResort("r"), false, "the probe is still out");
    fail("broken");
    assert.equal(health.beginLastResort("r"), false);
    clock.advance(1_000);
    assert.equal(health.beginLastResort("r"), true);
    succeed();
    assert.equal(isCooling(), false);
    assert.deepEqual([1, 2, 3].map(() => health.beginAttempt("r")), [true, true, true]);
  });
}

Deno.test("a busy upstream's Retry-After is kept, also by a last route", () => {
  const { fail, health, clock } = bench();
  for (let attempt = 0; attempt < 5; attempt++) fail("broken");
  fail("busy", { retryAfterSeconds: 20 });
  clock.advance(19_999);
  assert.equal(health.beginLastResort("r"), false);
  clock.advance(1);
  assert.equal(health.beginLastResort("r"), true);
});

Deno.test("news from before the cool-down end no probe and no cool-down", () => {
  const { fail, isCooling, health, clock } = bench();
  const early = clock.monotonic();
  clock.advance(100);
  fail("operator");
  clock.advance(1_000);
  assert.equal(health.beginLastResort("r"), true);
  health.record("r", { startedAt: early, outcome: "success" });
  assert.equal(isCooling(), true);
  assert.equal(health.beginLastResort("r"), false);
});

const A = route({ id: "a" });
const B = route({ id: "b" });
const DOWN = {
  a: { circuitOpenUntil: 30_000, lastResortFrom: 9_000 },
  b: { coolingUntil: 60_000, lastResortFrom: 8_000 },
};

Deno.test("selectRoute() lets health alone shut out no last route", () => {
  const down = selectRoute(question({ routes: [A, B], health: healthOf(DOWN) }));
  assert.deepEqual(down.candidates, [{ route: B, official: false, isLastResort: true }]);
  assert.deepEqual(down.rejected.map(({ route, reason }) => [route, reason]), [
    ["a", "circuit_open"],
  ]);
  const other = selectRoute(question({ routes: [A, B], health: healthOf({ a: DOWN.a }) }));
  assert.deepEqual(other.candidates, [{ route: B, official: false }]);
  assert.deepEqual(other.rejected.map(({ route }) => route), ["a"]);
  const named = question({
    routes: [A, B],
    health: healthOf({ a: DOWN.a }),
    wishes: { route: "a" },
  });
  assert.deepEqual(selectRoute(named).candidates.map(({ isLastResort }) => isLastResort), [true]);
});

Deno.test("selectRoute() probes no route that is switched off, full, busy or being probed", () => {
  const full = question({ routes: [A], health: healthOf(DOWN), capacity: waits({ a: 3 }) });
  assert.deepEqual(selectRoute(full).candidates, []);
  const later = healthOf({ a: { circuitOpenUntil: 30_000, lastResortFrom: 10_001 } });
  assert.deepEqual(selectRoute(question({ routes: [A], health: later })).candidates, []);
  const off = route({ id: "a", enabled: false });
  assert.deepEqual(selectRoute(question({ routes: [off], health: healthOf(DOWN) })).candidates, []);
});

Deno.test("explainSelection() says which candidate is a last resort", () => {
  const { candidates } = explainSelection(question({ routes: [A], health: healthOf(DOWN) }));
  assert.deepEqual(candidates.map(({ route, last_resort }) => [route, last_resort]), [["a", true]]);
});
