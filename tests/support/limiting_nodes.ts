/**
 * Nodes that share limits by pools in memory, over a clock that is moved by hand.
 *
 * @module
 */

import assert from "node:assert/strict";
import { Limiter } from "../../src/limits/limiter.ts";
import { RouteCapacity } from "../../src/limits/route_capacity.ts";
import { ShareBook } from "../../src/limits/share_book.ts";
import { ShareKeeper } from "../../src/limits/share_keeper.ts";
import { FakeLater } from "./fake_later.ts";
import { MemoryPools } from "./memory_pools.ts";

/** Nodes over one database. */
export class LimitingNodes {
  readonly time = new FakeLater();
  readonly limiters: readonly Limiter[];
  readonly capacities: readonly RouteCapacity[];

  constructor(count: number) {
    const { clock, later } = this.time;
    const pools = new MemoryPools(clock);
    this.limiters = Array.from({ length: count }, () => new Limiter({ clock }));
    this.capacities = this.limiters.map(() => new RouteCapacity({ clock }));
    for (const [session, limiter] of this.limiters.entries()) {
      const capacity = this.capacities[session]!;
      const keeper = new ShareKeeper({
        book: new ShareBook(
          clock,
          (scope, id) => scope === "route" ? capacity.gaugeOf(id) : limiter.gaugeOf(scope, id),
        ),
        pools: pools.of(session),
        ...{ clock, later },
        onTrouble: (error) => assert.fail(String(error)),
      });
      limiter.shareAmongNodes(keeper);
      capacity.shareAmongNodes(keeper);
    }
  }

  /** What comes of something that may have to wait for so long. */
  async soon<Result>(result: Result | Promise<Result>, withinMs = 0): Promise<Result> {
    const waiting = { isOver: false };
    const end = Promise.resolve(result).finally(() => waiting.isOver = true);
    for (let ms = 0; ms <= withinMs && !waiting.isOver; ms += 10) await this.time.advance(10);
    assert.ok(waiting.isOver, `still waiting after ${withinMs} ms`);
    return await end;
  }
}
