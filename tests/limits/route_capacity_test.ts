/**
 * The routes' own limits.
 *
 * @module
 */

import assert from "node:assert/strict";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import type { CapacityView } from "../../src/routing/route_request.ts";
import { route } from "../support/catalogue_parts.ts";
import { FakeClock } from "../support/fake_clock.ts";

function bench() {
  const clock = new FakeClock();
  const capacity: RouteCapacity & CapacityView = new RouteCapacity({ clock });
  return { clock, capacity };
}

Deno.test("a route without limits always has room and is not remembered", () => {
  const { capacity } = bench();
  const free = route();
  for (let calls = 0; calls < 100; calls++) assert.ok(capacity.enter(free, 1e9));
  assert.equal(capacity.secondsUntilRoom(free, 1e9), 0);
  assert.equal(capacity.size, 0);
});

Deno.test("asking for room takes nothing and remembers nothing", () => {
  const { capacity } = bench();
  const limited = route({ limits: { requestsPerMinute: 1 } });
  for (let asks = 0; asks < 10; asks++) assert.equal(capacity.secondsUntilRoom(limited, 0), 0);
  assert.equal(capacity.size, 0);
  assert.ok(capacity.enter(limited, 0));
});

Deno.test("enter() takes the last room from others, exactly until its second is past", () => {
  const { clock, capacity } = bench();
  const limited = route({ limits: { requestsPerMinute: 2 } });
  assert.ok(capacity.enter(limited, 0));
  assert.ok(capacity.enter(limited, 0));
  assert.equal(capacity.enter(limited, 0), undefined);
  assert.equal(capacity.secondsUntilRoom(limited, 0), 60);
  clock.advance(59_999);
  assert.equal(capacity.secondsUntilRoom(limited, 0), 1);
  assert.equal(capacity.enter(limited, 0), undefined);
  clock.advance(1);
  assert.equal(capacity.secondsUntilRoom(limited, 0), 0);
  assert.ok(capacity.enter(limited, 0));
});

Deno.test("room for tokens depends on how many the call needs", () => {
  const { capacity } = bench();
  const limited = route({ limits: { tokensPerMinute: 1_000 } });
  const permit = capacity.enter(limited, 900)!;
  assert.equal(capacity.secondsUntilRoom(limited, 100), 0);
  assert.equal(capacity.secondsUntilRoom(limited, 101), 60);
  permit.correct(20);
  assert.equal(capacity.secondsUntilRoom(limited, 980), 0);
  // More than the limit as a whole never fits.
  assert.equal(
    capacity.secondsUntilRoom(route({ id: "x", limits: { tokensPerMinute: 1 } }), 2),
    60,
  );
});

Deno.test("release() gives concurrency back, once", () => {
  const { capacity } = bench();
  const limited = route({ limits: { concurrent: 1 } });
  const permit = capacity.enter(limited, 0)!;
  assert.equal(capacity.secondsUntilRoom(limited, 0), 1);
  assert.equal(capacity.enter(limited, 0), undefined);
  permit.release();
  permit.release();
  assert.ok(capacity.enter(limited, 0));
  assert.equal(capacity.enter(limited, 0), undefined);
});

Deno.test("routes are counted apart, and forgotten when idle", () => {
  const { clock, capacity } = bench();
  const limits = { requestsPerMinute: 1 };
  for (let id = 0; id < 100; id++) capacity.enter(route({ id: `r${id}`, limits }), 0)!.release();
  assert.equal(capacity.size, 100);
  clock.advance(60_000);
  for (let calls = 0; calls < 110; calls++) capacity.enter(route({ id: "one", limits }), 0);
  assert.equal(capacity.size, 1);
});
