/**
 * Limits over several nodes of one real database.
 *
 * @module
 */

import assert from "node:assert/strict";
import { shareLimits } from "../../src/app/share_limits.ts";
import { systemClock } from "../../src/domain/clock.ts";
import type { Limits } from "../../src/domain/catalogue.ts";
import { Limiter } from "../../src/limits/limiter.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import type { PostgresStorage } from "../../src/storage/postgres/postgres_storage.ts";
import { route } from "../support/catalogue_parts.ts";
import { openNodes } from "../support/nodes_of_a_database.ts";
import { NEEDS_POSTGRES, postgresOfFile } from "../support/postgres_server.ts";

const server = postgresOfFile();

function later(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  return () => clearTimeout(timer);
}

/** A limiter that shares limits by a node's storage. */
async function limiterOf({ shares }: PostgresStorage) {
  const limiter = new Limiter({ clock: systemClock });
  const onTrouble = (error: unknown) => assert.fail(String(error));
  const capacity = new RouteCapacity({ clock: systemClock });
  const parts = { limiter, capacity, clock: systemClock, later, onTrouble };
  const keeper = await shareLimits({ shares }, parts);
  return { limiter, capacity, keeper: keeper! };
}

/** How many of so many calls to each node at once are admitted, of all that come. */
async function admitted(
  limits: Limits,
  { calls, tokens = 0, nodes: count = 3 }: {
    readonly calls: number;
    readonly tokens?: number;
    readonly nodes?: number;
  },
): Promise<number> {
  await using nodes = await openNodes(server, { count });
  const all = await Promise.all(nodes.storages.map(limiterOf));
  const subjects = [{ scope: "key", id: "k", limits }] as const;
  const one = async (limiter: Limiter) => {
    const admission = await limiter.enterWhenRoom(subjects);
    if (admission.kind === "refused") {
      assert.equal(admission.max, limits.concurrent);
      return false;
    }
    return await limiter.countWhenRoom(admission.permit, subjects, tokens) === undefined;
  };
  const each = all.flatMap(({ limiter }) => Array.from({ length: calls }, () => one(limiter)));
  const results = await Promise.all(each);
  await Promise.all(all.map(({ keeper }) => keeper.stop()));
  return results.filter(Boolean).length;
}

Deno.test(
  "of calls to three nodes at once as many are admitted as the limit says",
  NEEDS_POSTGRES,
  async () => {
    assert.equal(await admitted({ requestsPerMinute: 100 }, { calls: 100 }), 100);
    assert.equal(await admitted({ tokensPerMinute: 1_000 }, { calls: 50, tokens: 10 }), 100);
    assert.equal(await admitted({ concurrent: 40 }, { calls: 40 }), 40);
    const all = { requestsPerMinute: 100, tokensPerMinute: 500, concurrent: 80 };
    assert.equal(await admitted(all, { calls: 100, tokens: 10 }), 50);
  },
);

Deno.test(
  "a route takes as many attempts of three nodes as its limit says",
  NEEDS_POSTGRES,
  async () => {
    await using nodes = await openNodes(server, { count: 3 });
    const all = await Promise.all(nodes.storages.map(limiterOf));
    const limited = route({ limits: { requestsPerMinute: 100, tokensPerMinute: 5_000 } });
    const attempts = all.flatMap(({ capacity }) =>
      Array.from(
        { length: 100 },
        async () => capacity.enter(limited, 10) ?? await capacity.whenRoom(limited, 10),
      )
    );
    const entered = (await Promise.all(attempts)).filter((permit) => permit !== undefined);
    assert.equal(entered.length, 100);
    await Promise.all(all.map(({ keeper }) => keeper.stop()));
  },
);

Deno.test("one node has the whole of a limit", NEEDS_POSTGRES, async () => {
  assert.equal(await admitted({ requestsPerMinute: 100 }, { calls: 150, nodes: 1 }), 100);
});
