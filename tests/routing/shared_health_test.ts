/**
 * One route and several projects: what one of them meets keeps no other out.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AttemptSample } from "../../src/routing/attempt_window.ts";
import { Health } from "../../src/routing/health.ts";
import { MOST_PROJECTS, ProjectTroubles } from "../../src/routing/project_troubles.ts";
import { FakeClock } from "../support/fake_clock.ts";

type Outcome = AttemptSample["outcome"];

function bench() {
  const clock = new FakeClock();
  const health = new Health({ clock });
  const record = (projectId: string, outcome: Outcome, more: { retryAfterSeconds?: number } = {}) =>
    health.record("r", { startedAt: clock.monotonic(), projectId, outcome, ...more });
  return {
    clock,
    health,
    record,
    breakOff(projectId: string, count = 5): void {
      for (let attempt = 0; attempt < count; attempt++) record(projectId, "broken");
    },
    /** Whether a call of each project may begin, without beginning one. */
    shut: (...projects: string[]) =>
      projects.filter((id) => health.coolingUntil("r", id) > clock.monotonic()),
    begins: (projectId: string) => health.beginAttempt("r", projectId),
  };
}

Deno.test("failures of one project shut the route for it at once, and for nobody else", () => {
  const { health, clock, breakOff, shut, begins } = bench();
  breakOff("one", 4);
  assert.deepEqual(shut("one"), []);
  breakOff("one", 100);
  assert.deepEqual(shut("one", "two"), ["one"]);
  assert.equal(health.coolingReason("r", "one"), "circuit_open");
  assert.deepEqual([begins("one"), begins("two"), begins("two")], [false, true, true]);
  // An hour of it changes nothing.
  for (let minute = 0; minute < 60; minute++) {
    clock.advance(60_000);
    assert.deepEqual([begins("two"), begins("one")], [true, true]);
    breakOff("one", 1);
    assert.deepEqual(shut("one", "two"), ["one"]);
  }
});

Deno.test("a single failure of another project does not make one's failures everybody's", () => {
  const { breakOff, shut, clock, health } = bench();
  breakOff("one", 100);
  breakOff("two", 1);
  assert.deepEqual(shut("one", "two", "three"), ["one"]);
  breakOff("two", 1);
  assert.deepEqual(shut("one", "two", "three"), ["one", "two", "three"]);
  assert.equal(health.coolingUntil("r", "three"), clock.monotonic() + 30_000);
});

Deno.test("failures of many projects shut the route for all after five, if nobody is served between", () => {
  const { breakOff, record, shut } = bench();
  for (const project of ["a", "b", "c", "d"]) breakOff(project, 1);
  record("z", "success");
  for (const project of ["a", "b", "c", "d"]) breakOff(project, 1);
  assert.deepEqual(shut("z"), []);
  breakOff("e", 1);
  assert.deepEqual(shut("z"), ["z"]);
});

Deno.test("a route that was shut for all is tried by each project, and shut again by two", () => {
  const { breakOff, record, shut, begins, clock } = bench();
  breakOff("one");
  breakOff("two");
  clock.advance(30_000);
  assert.deepEqual(shut("one", "two", "three"), []);
  // One that takes every turn and fails, or is slow, keeps nobody else out.
  assert.deepEqual([begins("one"), begins("one")], [true, false]);
  assert.deepEqual([begins("three"), begins("three")], [true, false]);
  record("one", "broken");
  assert.deepEqual(shut("one", "two"), ["one"]);
  record("three", "broken");
  assert.deepEqual(shut("one", "two", "three"), ["one", "two", "three"]);
  clock.advance(30_000);
  assert.equal(begins("one"), true);
  record("one", "broken");
  assert.equal(begins("two"), true);
  record("two", "success");
  assert.deepEqual(shut("one", "two", "three", "four"), ["one"]);
  assert.deepEqual([begins("three"), begins("four"), begins("four")], [true, true, true]);
});

Deno.test("a last route is looked at by each project by itself", () => {
  const { breakOff, health, clock } = bench();
  breakOff("one");
  breakOff("two");
  clock.advance(1_000);
  const probes = (id: string) => health.beginLastResort("r", id);
  assert.deepEqual([probes("one"), probes("one"), probes("two"), probes("three")], [
    true,
    false,
    true,
    true,
  ]);
});

Deno.test("a route that one project alone has met as broken is down until another is served", () => {
  const { breakOff, record, health, clock } = bench();
  breakOff("one");
  assert.equal(health.isDown("r"), true);
  clock.advance(1);
  record("two", "success");
  assert.equal(health.isDown("r"), false);
});

Deno.test("a Retry-After keeps out whom it was told, others but for a look a second", () => {
  const { record, health, shut, begins, clock } = bench();
  record("one", "busy", { retryAfterSeconds: 300 });
  assert.deepEqual([begins("one"), begins("two"), begins("two")], [false, true, false]);
  assert.equal(health.coolingReason("r", "two"), "cooling_down");
  assert.equal(begins("three"), true);
  clock.advance(1_000);
  assert.deepEqual([begins("one"), begins("two")], [false, true]);
  assert.equal(health.beginLastResort("r", "one"), false);
  record("two", "success");
  assert.deepEqual(shut("one", "two", "three", "four"), ["one"]);
  for (let call = 0; call < 5; call++) assert.equal(begins("two"), true);
  clock.advance(298_999);
  assert.deepEqual(shut("one"), ["one"]);
  clock.advance(1);
  assert.deepEqual(shut("one"), []);
});

Deno.test("what two projects are told keeps everybody out, for the shorter of the two", () => {
  const { record, shut, begins, clock } = bench();
  record("one", "busy", { retryAfterSeconds: 300 });
  assert.equal(begins("two"), true);
  record("two", "busy", { retryAfterSeconds: 7 });
  assert.deepEqual(shut("one", "two", "three"), ["one", "two", "three"]);
  clock.advance(6_999);
  assert.deepEqual([begins("two"), begins("three")], [false, false]);
  clock.advance(1);
  assert.deepEqual([begins("one"), begins("two"), begins("three")], [false, true, true]);
});

Deno.test("who is told to stay away again and again holds up nobody that is served meanwhile", () => {
  const { record, shut, begins, clock } = bench();
  record("one", "busy", { retryAfterSeconds: 1 });
  assert.equal(begins("two"), true);
  record("two", "success");
  for (let second = 0; second < 300; second++) {
    record("one", "busy", { retryAfterSeconds: 1 });
    assert.deepEqual(shut("one", "two", "three"), ["one"], `${second}`);
    if (second % 50 === 0) record("two", "success");
    clock.advance(1_000);
  }
  clock.advance(60_000);
  record("one", "busy", { retryAfterSeconds: 1 });
  assert.deepEqual([begins("three"), begins("three")], [true, false]);
});

Deno.test("a Retry-After holds up nobody while another was served within the last minute", () => {
  const { record, shut, begins, clock } = bench();
  record("two", "success");
  record("one", "success");
  record("one", "busy", { retryAfterSeconds: 300 });
  for (let call = 0; call < 5; call++) {
    assert.deepEqual([begins("two"), begins("three"), begins("one")], [true, true, false]);
  }
  // Another that is told the same is believed all the same.
  record("two", "busy", { retryAfterSeconds: 7 });
  assert.deepEqual(shut("one", "two", "three"), ["one", "two", "three"]);
  clock.advance(7_000);
  assert.deepEqual(shut("one", "two", "three"), ["one"]);
  clock.advance(53_000);
  assert.deepEqual([begins("three"), begins("three")], [true, false]);
});

Deno.test("a first byte shows that a busy upstream takes others; an attempt from before shows nothing", () => {
  const { record, shut, begins, health, clock } = bench();
  const early = clock.monotonic();
  clock.advance(10);
  record("one", "busy", { retryAfterSeconds: 60 });
  health.answered("r", { startedAt: early, projectId: "two" });
  assert.deepEqual([begins("two"), begins("two")], [true, false]);
  health.answered("r", { startedAt: clock.monotonic(), projectId: "two" });
  assert.deepEqual(shut("one", "two", "three"), ["one"]);
});

Deno.test("the projects that are remembered of a route are bounded, and forgotten in time", () => {
  const troubles = new ProjectTroubles();
  for (let project = 0; project < 1_000; project++) troubles.of(`p${project}`).broken(false, 0);
  assert.equal(troubles.size, MOST_PROJECTS);
  troubles.forgetStale(300_001, "p999");
  assert.equal(troubles.size, 1);
  const { breakOff, record, health, clock } = bench();
  breakOff("one", 3);
  clock.advance(600_000);
  record("two", "success");
  assert.equal(health.isTroubled("r"), false);
});

Deno.test("one project's failures do not lower a route's rate for the others, until others meet them too", () => {
  const clock = new FakeClock();
  const health = new Health({ clock });
  const fail = (projectId: string, times: number) => {
    for (let count = 0; count < times; count++) {
      health.record("r", { startedAt: clock.monotonic(), projectId, outcome: "broken" });
    }
  };
  fail("hostile", 200);
  assert.ok(health.successRate("r", "hostile") < 0.1);
  assert.ok(health.successRate("r") < 0.1, "whoever operates it sees all");
  assert.equal(health.successRate("r", "shop"), 0.98);
  fail("garden", 30);
  assert.ok(health.successRate("r", "shop") < 0.5);
  assert.ok(health.successRate("r", "garden") < 0.5, "its own count");
  clock.advance(290_000);
  fail("hostile", 1);
  clock.advance(20_000);
  assert.equal(health.successRate("r", "shop"), 0.98);
  assert.ok(health.successRate("r", "hostile") < 0.98);
});
