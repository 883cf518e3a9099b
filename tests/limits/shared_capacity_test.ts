/**
 * Routes' limits that several nodes share: who is sent elsewhere, who waits, and what comes back.
 *
 * @module
 */

import assert from "node:assert/strict";
import type { Limits } from "../../src/domain/catalogue.ts";
import type { Permit } from "../../src/limits/permit.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import { route } from "../support/catalogue_parts.ts";
import { FakeLater } from "../support/fake_later.ts";
import { LimitingNodes } from "../support/limiting_nodes.ts";

/** Within a beat, and what an answer takes. */
const BEAT_MS = 300;

class Nodes extends LimitingNodes {
  /** Enters as an attempt does whose selection found room. */
  async enter(node: number, limits: Limits, tokens = 0): Promise<Permit | undefined> {
    const capacity = this.capacities[node]!;
    if (capacity.secondsUntilRoom(route({ limits }), tokens) > 0) return undefined;
    const permit = capacity.enter(route({ limits }), tokens);
    return permit ?? await this.soon(capacity.whenRoom(route({ limits }), tokens), 310);
  }

  /** How many of so many attempts of a node find room, one after another. */
  async entered(node: number, limits: Limits, attempts: number, tokens = 0): Promise<number> {
    let entered = 0;
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (await this.enter(node, limits, tokens) !== undefined) entered++;
    }
    return entered;
  }

  wait(node: number, limits: Limits, tokens = 0): number {
    return this.capacities[node]!.secondsUntilRoom(route({ limits }), tokens);
  }
}

Deno.test("a route takes as much of all nodes together as of one", async () => {
  for (
    const [limits, tokens] of [
      [{ requestsPerMinute: 10 }, 0],
      [{ tokensPerMinute: 1_000 }, 100],
      [{ concurrent: 10 }, 0],
    ] as const
  ) {
    const nodes = new Nodes(2);
    let entered = 0;
    for (let turn = 0; turn < 15; turn++) {
      for (const node of [0, 1]) entered += await nodes.entered(node, limits, 1, tokens);
    }
    assert.equal(entered, 10);
  }
});

Deno.test("where nothing is left an attempt goes elsewhere at once, and finds what comes back", async () => {
  const nodes = new Nodes(2);
  const limits = { requestsPerMinute: 10 };
  assert.equal(await nodes.entered(0, limits, 10), 10);
  // It has heard of nothing yet, and waits.
  assert.equal(await nodes.enter(1, limits), undefined);
  assert.equal(nodes.wait(1, limits), 1);
  for (let quarter = 0; quarter < 4; quarter++) await nodes.time.advance(15_000);
  assert.equal(nodes.wait(1, limits), 1);
  await nodes.time.advance(BEAT_MS);
  assert.equal(nodes.wait(1, limits), 0);
  assert.equal(await nodes.entered(1, limits, 20), 10);
});

Deno.test("a place that one node leaves is another's within two beats", async () => {
  const nodes = new Nodes(2);
  const limits = { concurrent: 2 };
  const first = (await nodes.enter(0, limits))!;
  assert.ok(await nodes.enter(0, limits));
  assert.equal(await nodes.enter(1, limits), undefined);
  first.release();
  assert.equal(nodes.wait(1, limits), 1);
  await nodes.time.advance(BEAT_MS);
  await nodes.time.advance(BEAT_MS);
  assert.equal(nodes.wait(1, limits), 0);
  assert.ok(await nodes.enter(1, limits));
  assert.equal(await nodes.enter(0, limits), undefined);
});

Deno.test("what alone is more than a route's limit waits for nothing", async () => {
  const nodes = new Nodes(2);
  const limits = { tokensPerMinute: 1_000 };
  assert.equal(nodes.wait(0, limits, 1_001), 60);
  const capacity = nodes.capacities[0]!;
  assert.equal(await nodes.soon(capacity.whenRoom(route({ limits }), 1_001)), undefined);
});

Deno.test("where a node is alone nothing is waited for", async () => {
  const capacity = new RouteCapacity({ clock: new FakeLater().clock });
  const limits = { concurrent: 1 };
  assert.ok(capacity.enter(route({ limits }), 0));
  assert.equal(await capacity.whenRoom(route({ limits }), 0), undefined);
});
