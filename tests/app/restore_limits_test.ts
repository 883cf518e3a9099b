/**
 * What a start knows of the minute before it.
 *
 * @module
 */

import { NO_WORK } from "../../src/domain/work.ts";
import assert from "node:assert/strict";
import { restoreLimits } from "../../src/app/restore_limits.ts";
import { CatalogueHolder } from "../../src/catalog/snapshot.ts";
import { KeyDirectory } from "../../src/accounts/key_directory.ts";
import type { OpenCall, StoredCall } from "../../src/domain/call.ts";
import { Limiter } from "../../src/limits/limiter.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import {
  sampleCatalogue,
  sampleClosedCall,
  sampleKey,
  sampleOpenCall,
  sampleProject,
} from "../conformance/storage_samples.ts";
import { FakeClock } from "../support/fake_clock.ts";

const limits = { requestsPerMinute: 10, tokensPerMinute: 1_000 };

async function restored(closed: readonly StoredCall[], open: readonly OpenCall[]) {
  const clock = new FakeClock();
  const limiter = new Limiter({ clock });
  const capacity = new RouteCapacity({ clock });
  const catalogue = sampleCatalogue();
  const withLimits = {
    ...catalogue,
    models: catalogue.models.map((model) => ({
      ...model,
      routes: model.routes.map((route) => ({ ...route, limits })),
    })),
  };
  const { current } = new CatalogueHolder(withLimits);
  await restoreLimits({
    calls: { closedSince: () => Promise.resolve(closed) },
    directory: new KeyDirectory([sampleProject({ limits })], [sampleKey({ limits })]),
    catalogue: current,
    limiter,
    capacity,
  }, { open, nowMs: clock.now() });
  const left = (scope: "project" | "key", id: string) => {
    const { requests, tokens } = limiter.remaining({ scope, id, limits });
    return [requests?.remaining, tokens?.remaining];
  };
  const route = current.route(sampleOpenCall().route)!;
  return { project: left("project", "acme"), key: left("key", "key_1"), capacity, route };
}

/** So many milliseconds before the start. */
function ago(ms: number): number {
  return new FakeClock().now() - ms;
}

Deno.test("restoreLimits() counts calls of the last minute with their tokens, for all three", async () => {
  const { project, key, capacity, route } = await restored([
    sampleClosedCall({ callId: 3, openedAt: ago(1_000) }),
    sampleClosedCall({ callId: 2, openedAt: ago(59_000) }),
    // Closed within the minute, and begun before it.
    sampleClosedCall({ callId: 1, openedAt: ago(61_000) }),
  ], []);
  assert.deepEqual(project, [8, 970]);
  assert.deepEqual(key, [8, 970]);
  assert.equal(capacity.secondsUntilRoom(route, 970), 0);
  assert.equal(capacity.secondsUntilRoom(route, 971), 1);
});

Deno.test("restoreLimits() counts calls that a crash ended, and films that go on, as requests", async () => {
  const film = { capability: "videos", video: { size: "640x360", seconds: 4 } } as const;
  const { project, key, capacity, route } = await restored(
    [sampleClosedCall({
      state: "released",
      result: "gateway_stopped",
      openedAt: ago(5_000),
      work: NO_WORK,
    })],
    [
      sampleOpenCall({ callId: 2, openedAt: ago(2_000), ...film }),
      sampleOpenCall({ callId: 3, openedAt: ago(60_000), ...film }),
    ],
  );
  assert.deepEqual(project, [8, 1_000]);
  assert.deepEqual(key, [8, 1_000]);
  // Of the route one of them is known to have been asked.
  assert.equal(capacity.size, 1);
  for (let request = 0; request < 9; request++) assert.ok(capacity.enter(route, 0));
  assert.equal(capacity.enter(route, 0), undefined);
});

Deno.test("restoreLimits() leaves out projects, keys and routes that are gone", async () => {
  const gone = { projectId: "gone", keyId: "gone", route: "gone/m", openedAt: ago(1) };
  const { project, key } = await restored([sampleClosedCall(gone)], []);
  assert.deepEqual([project, key], [[10, 1_000], [10, 1_000]]);
});
