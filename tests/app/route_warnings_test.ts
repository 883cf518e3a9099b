import assert from "node:assert/strict";
import { routeWarnings } from "../../src/app/route_warnings.ts";
import type { Snapshot } from "../../src/catalog/snapshot.ts";
import type { Model } from "../../src/domain/catalogue.ts";
import { Health } from "../../src/routing/health.ts";
import { model, route } from "../support/catalogue_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";

function bench(models: readonly Model[], unserved: Snapshot["unserved"] = new Map()) {
  const clock = new FakeClock();
  const health = new Health({ clock });
  return {
    clock,
    health,
    breakOff: (id: string) => {
      for (let attempt = 0; attempt < 5; attempt++) {
        health.record(id, { startedAt: clock.monotonic(), outcome: "broken" });
      }
    },
    warnings: () =>
      routeWarnings({ catalogue: { currency: "USD", providers: [], models }, unserved }, health),
  };
}

Deno.test("routeWarnings() names a model once all of its routes are down, until one serves", () => {
  const off = route({ id: "off", enabled: false });
  const { health, clock, breakOff, warnings } = bench([
    model([route({ id: "a" }), route({ id: "b" }), off]),
  ]);
  assert.deepEqual(warnings(), []);
  breakOff("a");
  assert.deepEqual(warnings(), []);
  health.record("b", { startedAt: clock.monotonic(), outcome: "operator", fault: "key" });
  const [said, ...more] = warnings();
  assert.match(
    said!,
    /cannot be served now: a \(its last attempts failed\), b \(its upstream does not take the/,
  );
  assert.deepEqual(more, []);
  clock.advance(30_000);
  assert.equal(warnings().length, 1, "nobody has served since");
  assert.equal(health.beginAttempt("a"), true);
  health.record("a", { startedAt: clock.monotonic(), outcome: "success" });
  assert.deepEqual(warnings(), []);
});

Deno.test("routeWarnings() says nothing of what is switched off or busy, and is bounded", () => {
  const off = bench([model([route({ id: "a", maintenance: true })])]);
  off.breakOff("a");
  assert.deepEqual(off.warnings(), []);
  const busy = bench([model([route({ id: "a" })])]);
  busy.health.record("a", { startedAt: 0, outcome: "busy", retryAfterSeconds: 60 });
  assert.deepEqual(busy.warnings(), []);
  const many = bench(Array.from({ length: 50 }, (_, at) => model([route({ id: `r${at}` })])));
  for (let at = 0; at < 50; at++) many.breakOff(`r${at}`);
  assert.equal(many.warnings().length, 6);
  assert.equal(many.warnings().at(-1), "nor can 45 more models");
});
