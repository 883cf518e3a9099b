/**
 * Cool-downs, the breaker, success rates and latencies over time.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { AttemptFailure } from "../../src/domain/upstream_error.ts";
import { Health } from "../../src/routing/health.ts";
import { FakeClock } from "../support/fake_clock.ts";

interface Bench {
  readonly clock: FakeClock;
  readonly health: Health;
  /** Begins an attempt and fails or ends it at once. */
  readonly fail: (outcome: AttemptFailure, retryAfterSeconds?: number) => void;
  readonly succeed: (latency?: { firstByteMs?: number; totalMs?: number }) => void;
  /** Seconds from now until the route may be tried. */
  readonly blockedSeconds: () => number;
}

function bench(): Bench {
  const clock = new FakeClock();
  const health = new Health({ clock });
  return {
    clock,
    health,
    fail: (outcome, retryAfterSeconds) =>
      health.record("r", { startedAt: clock.monotonic(), outcome, retryAfterSeconds }),
    succeed: (latency = {}) =>
      health.record("r", { startedAt: clock.monotonic(), outcome: "success", ...latency }),
    blockedSeconds: () => Math.max(0, health.coolingUntil("r") - clock.monotonic()) / 1000,
  };
}

function times(count: number, action: () => void): void {
  for (let done = 0; done < count; done++) action();
}

Deno.test("health knows nothing of a route at first", () => {
  const { health } = bench();
  assert.equal(health.coolingUntil("r"), 0);
  assert.equal(health.successRate("r"), 0.98);
  assert.equal(health.latencyMs("r", true), undefined);
  assert.equal(health.latencyMs("r", false), undefined);
  assert.equal(health.isTroubled("r"), false);
  assert.equal(health.beginAttempt("r"), true);
  assert.equal(health.size, 0);
});

Deno.test("the breaker opens on the fifth failure in a row, for 30 s", () => {
  const { fail, blockedSeconds, health, clock } = bench();
  times(4, () => fail("broken"));
  assert.equal(blockedSeconds(), 0);
  assert.equal(health.beginAttempt("r"), true);
  fail("broken");
  assert.equal(blockedSeconds(), 30);
  assert.equal(health.coolingReason("r"), "circuit_open");
  assert.equal(health.beginAttempt("r"), false);
  clock.advance(29_999);
  assert.equal(health.beginAttempt("r"), false);
});

Deno.test("a success in between keeps the breaker closed", () => {
  const { fail, succeed, blockedSeconds } = bench();
  times(4, () => fail("broken"));
  succeed();
  times(4, () => fail("broken"));
  assert.equal(blockedSeconds(), 0);
});

Deno.test("caller, aborted, starved, busy and operator failures neither break nor mend", () => {
  const { fail, health, clock } = bench();
  for (const outcome of ["caller", "aborted", "starved", "busy", "operator"] as const) {
    times(20, () => fail(outcome));
  }
  assert.equal(health.successRate("r"), 0.98);
  assert.equal(health.coolingReason("r"), "cooling_down");
  clock.advance(61_000);
  times(4, () => fail("broken"));
  times(3, () => fail("caller"));
  assert.equal(health.coolingUntil("r"), 0);
  fail("broken");
  assert.equal(health.coolingReason("r"), "circuit_open");
});

Deno.test("caller faults, own shortages and aborts alone leave nothing to remember", () => {
  const { fail, health } = bench();
  times(3, () => fail("caller"));
  times(3, () => fail("starved"));
  times(3, () => fail("aborted"));
  assert.equal(health.size, 0);
});

Deno.test("an open breaker lets exactly one probe in, however many ask at once", () => {
  const { fail, health, clock, blockedSeconds } = bench();
  times(5, () => fail("broken"));
  clock.advance(30_000);
  assert.equal(blockedSeconds(), 0);
  const entered = Array.from({ length: 50 }, () => health.beginAttempt("r"));
  assert.deepEqual(entered, [true, ...Array(49).fill(false)]);
  // While it is out, selection leaves the route alone and says why.
  assert.ok(blockedSeconds() > 0);
  assert.equal(health.coolingReason("r"), "circuit_open");
  clock.advance(120_000);
  assert.equal(health.beginAttempt("r"), false);
});

Deno.test("a probe's success closes the breaker, five failures open it again", () => {
  const { fail, succeed, health, clock, blockedSeconds } = bench();
  times(5, () => fail("broken"));
  clock.advance(30_000);
  health.beginAttempt("r");
  succeed();
  assert.equal(blockedSeconds(), 0);
  assert.deepEqual([health.beginAttempt("r"), health.beginAttempt("r")], [true, true]);
  times(4, () => fail("broken"));
  assert.equal(blockedSeconds(), 0);
  fail("broken");
  assert.equal(blockedSeconds(), 30);
});

Deno.test("a probe's failure opens the breaker for another 30 s", () => {
  const { fail, health, clock, blockedSeconds } = bench();
  times(5, () => fail("broken"));
  let probes = 0;
  for (let second = 0; second < 300; second++) {
    clock.advance(1_000);
    if (health.beginAttempt("r")) {
      probes++;
      fail("broken");
      assert.equal(blockedSeconds(), 30);
    }
  }
  assert.equal(probes, 10);
});

Deno.test("a probe that says nothing makes room for the next one", () => {
  for (const outcome of ["aborted", "caller"] as const) {
    const { fail, health, clock } = bench();
    times(5, () => fail("broken"));
    clock.advance(30_000);
    assert.equal(health.beginAttempt("r"), true);
    fail(outcome);
    assert.deepEqual([health.beginAttempt("r"), health.beginAttempt("r")], [true, false]);
  }
});

Deno.test("a busy probe cools the route and leaves the breaker half open", () => {
  const { fail, health, clock, blockedSeconds } = bench();
  times(5, () => fail("broken"));
  clock.advance(30_000);
  health.beginAttempt("r");
  fail("busy", 7);
  assert.equal(blockedSeconds(), 7);
  assert.equal(health.coolingReason("r"), "cooling_down");
  clock.advance(7_000);
  assert.deepEqual([health.beginAttempt("r"), health.beginAttempt("r")], [true, false]);
});

Deno.test("attempts from before the breaker opened do not move it", () => {
  const { fail, health, clock } = bench();
  const early = clock.monotonic();
  clock.advance(1_000);
  times(5, () => fail("broken"));
  health.record("r", { startedAt: early, outcome: "success" });
  assert.equal(health.beginAttempt("r"), false);
  clock.advance(30_000);
  assert.equal(health.beginAttempt("r"), true);
  // Late news while the probe is out: neither closes, nor reopens, nor ends the probe.
  health.record("r", { startedAt: early, outcome: "success" });
  assert.equal(health.beginAttempt("r"), false);
  health.record("r", { startedAt: early, outcome: "broken" });
  assert.equal(health.beginAttempt("r"), false);
  health.record("r", { startedAt: early, outcome: "aborted" });
  assert.equal(health.beginAttempt("r"), false);
  health.record("r", { startedAt: clock.monotonic(), outcome: "success" });
  assert.equal(health.beginAttempt("r"), true);
  assert.equal(health.coolingUntil("r"), 0);
});

Deno.test("a probe that is never recorded does not lock its route for ever", () => {
  const { fail, health, clock } = bench();
  times(5, () => fail("broken"));
  clock.advance(30_000);
  assert.equal(health.beginAttempt("r"), true);
  clock.advance(899_999);
  assert.equal(health.beginAttempt("r"), false);
  clock.advance(1);
  assert.equal(health.beginAttempt("r"), true);
  assert.equal(health.beginAttempt("r"), false);
});

Deno.test("a busy upstream cools its route as long as it asked, never shorter than before", () => {
  const { fail, health, clock, blockedSeconds } = bench();
  fail("busy", 20);
  assert.equal(blockedSeconds(), 20);
  assert.equal(health.coolingReason("r"), "cooling_down");
  fail("busy", 3);
  assert.equal(blockedSeconds(), 20);
  fail("busy", 40);
  assert.equal(blockedSeconds(), 40);
  assert.equal(health.beginAttempt("r"), false);
  clock.advance(40_000);
  assert.equal(health.coolingUntil("r"), 0);
  assert.equal(health.beginAttempt("r"), true);
});

Deno.test("a busy upstream's Retry-After is believed within reason", () => {
  const cases = [[undefined, 5], [0, 5], [-3, 5], [NaN, 5], [0.5, 0.5], [86_400, 300]] as const;
  for (const [asked, cooled] of cases) {
    const { fail, blockedSeconds } = bench();
    fail("busy", asked);
    assert.equal(blockedSeconds(), cooled, `Retry-After ${asked}`);
  }
});

Deno.test("a day's quota that is spent is believed until it comes back, for a day at most", () => {
  for (const [asked, cooled] of [[28_800, 28_800], [1e9, 86_400]] as const) {
    const { health, clock, blockedSeconds } = bench();
    const sample = { startedAt: clock.monotonic(), outcome: "busy", isSpent: true } as const;
    health.record("r", { ...sample, retryAfterSeconds: asked });
    assert.equal(blockedSeconds(), cooled);
  }
});

Deno.test("whoever mended something need not wait for a day's quota, nor for a fault", () => {
  const { health, clock, blockedSeconds } = bench();
  const busy = { startedAt: clock.monotonic(), outcome: "busy", isSpent: true } as const;
  health.record("r", { ...busy, projectId: "one", retryAfterSeconds: 28_800 });
  health.record("r", { ...busy, projectId: "two", retryAfterSeconds: 28_800 });
  health.record("r", { startedAt: clock.monotonic(), outcome: "operator", projectId: "one" });
  assert.equal(blockedSeconds(), 28_800);
  assert.equal(health.beginAttempt("r", "three"), false);
  health.forgive();
  assert.equal(health.coolingUntil("r"), 0);
  for (const project of ["one", "two", "three"]) assert.ok(health.beginAttempt("r", project));
});

Deno.test("an operator's fault cools the route for 60 s", () => {
  const { fail, blockedSeconds } = bench();
  fail("operator");
  assert.equal(blockedSeconds(), 60);
});

Deno.test("the success rate follows the samples from its prior", () => {
  const { fail, succeed, health } = bench();
  succeed();
  const afterOne = health.successRate("r");
  assert.ok(afterOne > 0.98 && afterOne < 0.985, `${afterOne}`);
  times(1_000, () => succeed());
  const proven = health.successRate("r");
  assert.ok(proven > 0.999, `${proven}`);
  assert.ok(afterOne < proven, "one success does not win");
  times(1_000, () => fail("broken"));
  assert.ok(Math.abs(health.successRate("r") - 0.5) < 0.01);
});

Deno.test("a new route stands above one that fails noticeably", () => {
  const { fail, succeed, health } = bench();
  times(95, () => succeed());
  times(5, () => fail("broken"));
  assert.ok(health.successRate("r") < health.successRate("new"));
});

Deno.test("latency is the mean of successes, streams and whole answers apart", () => {
  const { fail, succeed, health } = bench();
  succeed({ firstByteMs: 100 });
  succeed({ firstByteMs: 300 });
  assert.equal(health.latencyMs("r", true), 200);
  assert.equal(health.latencyMs("r", false), undefined);
  succeed({ totalMs: 1_000 });
  fail("broken");
  assert.equal(health.latencyMs("r", false), 1_000);
  assert.equal(health.latencyMs("r", true), 200);
});

Deno.test("throughput is the mean of streams' own rates from their first byte on", () => {
  const { health, clock } = bench();
  const stream = (milliseconds: number, outputTokens?: number) => {
    const startedAt = clock.monotonic();
    clock.advance(1_000 + milliseconds);
    health.record("r", { outcome: "success", startedAt, firstByteMs: 1_000, outputTokens });
  };
  assert.equal(health.tokensPerSecond("r"), undefined);
  stream(1_000);
  stream(1_000, 3);
  stream(5, 1_000);
  assert.equal(health.tokensPerSecond("r"), undefined, "too short, or not counted");
  stream(1_000, 100);
  stream(10_000, 3_000);
  assert.equal(health.tokensPerSecond("r"), 200);
  // One that is read slowly is one of several.
  stream(100_000, 20);
  assert.ok(health.tokensPerSecond("r")! > 130);
  clock.advance(300_000);
  assert.equal(health.tokensPerSecond("r"), undefined);
});

Deno.test("samples are forgotten after five minutes, a bucket at a time", () => {
  const { fail, succeed, health, clock } = bench();
  times(4, () => fail("broken"));
  clock.advance(150_000);
  succeed({ totalMs: 80 });
  assert.ok(health.successRate("r") < 0.9);
  clock.advance(150_000);
  assert.ok(health.successRate("r") > 0.98);
  assert.equal(health.latencyMs("r", false), 80);
  clock.advance(150_000);
  assert.equal(health.successRate("r"), 0.98);
  assert.equal(health.latencyMs("r", false), undefined);
  // A long silence forgets everything at once.
  fail("broken");
  clock.advance(86_430_000);
  assert.equal(health.successRate("r"), 0.98);
});

Deno.test("setting the machine's clock changes nothing", () => {
  const { fail, clock, blockedSeconds, health } = bench();
  fail("busy", 20);
  clock.setWall(0);
  assert.equal(blockedSeconds(), 20);
  clock.setWall(Date.UTC(2050, 0, 1));
  assert.equal(health.beginAttempt("r"), false);
});

Deno.test("retain() forgets routes that left the catalogue", () => {
  const { health, clock } = bench();
  for (const id of ["a", "b", "c"]) {
    times(5, () => health.record(id, { startedAt: clock.monotonic(), outcome: "broken" }));
  }
  health.retain(["b", "z"]);
  assert.equal(health.size, 1);
  assert.equal(health.coolingUntil("a"), 0);
  assert.ok(health.coolingUntil("b") > 0);
});

Deno.test("a probe that has begun to answer lets others in; should it break off, they are out again", () => {
  const { fail, clock, health, blockedSeconds } = bench();
  times(5, () => fail("broken"));
  clock.advance(30_000);
  const startedAt = clock.monotonic();
  assert.equal(health.beginAttempt("r"), true);
  assert.equal(health.beginAttempt("r"), false);
  // An attempt from before the circuit opened says nothing about the route now.
  health.answered("r", { startedAt: startedAt - 30_001 });
  assert.equal(health.beginAttempt("r"), false);
  health.answered("r", { startedAt });
  assert.equal(blockedSeconds(), 0);
  // Not one after another, as probes are.
  times(3, () => assert.equal(health.beginAttempt("r"), true));
  health.record("r", { startedAt, outcome: "broken" });
  assert.equal(blockedSeconds(), 30);
});

Deno.test("answered() says nothing of a route without trouble", () => {
  const { clock, health } = bench();
  health.answered("r", { startedAt: clock.monotonic() });
  assert.equal(health.size, 0);
});

Deno.test("isTroubled() is true from a failure or a cool-down until both are past and a success shows it", () => {
  const clock = new FakeClock();
  const health = new Health({ clock });
  const success = () =>
    health.record("r", { startedAt: clock.monotonic(), outcome: "success", totalMs: 5 });
  success();
  assert.equal(health.isTroubled("r"), false);
  health.record("r", { startedAt: clock.monotonic(), outcome: "broken" });
  assert.equal(health.isTroubled("r"), true);
  success();
  assert.equal(health.isTroubled("r"), true);
  clock.advance(10 * 60_000);
  success();
  assert.equal(health.isTroubled("r"), false);
  health.record("r", { startedAt: clock.monotonic(), outcome: "operator" });
  assert.equal(health.isTroubled("r"), true);
  clock.advance(10 * 60_000);
  assert.equal(health.coolingUntil("r"), 0);
  success();
  assert.equal(health.isTroubled("r"), false);
  health.record("r", { startedAt: clock.monotonic(), outcome: "busy" });
  health.retain([]);
  assert.equal(health.isTroubled("r"), false);
});
