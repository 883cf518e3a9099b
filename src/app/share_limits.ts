/**
 * Shares limits with the other nodes of a server's database, where there may be any.
 *
 * @module
 */

import type { Clock } from "../domain/clock.ts";
import type { Limiter } from "../limits/limiter.ts";
import type { RouteCapacity } from "../limits/route_capacity.ts";
import type { ShareKeeper } from "../limits/share_keeper.ts";
import type { DatabaseServer } from "./database/driver.ts";

/** What shares limits. */
export interface ShareLimitsOptions {
  readonly limiter: Limiter;
  readonly capacity: RouteCapacity;
  readonly clock: Clock;
  readonly later: (run: () => void, ms: number) => () => void;
  readonly onTrouble?: ((error: unknown) => void) | undefined;
}

/** Begins to share them; `undefined` where a file has the database, which is this node's alone. */
export async function shareLimits(
  server: Pick<DatabaseServer, "shares"> | undefined,
  { limiter, capacity, clock, later, onTrouble = () => {} }: ShareLimitsOptions,
): Promise<Pick<ShareKeeper, "stop"> | undefined> {
  if (server === undefined) return undefined;
  const [{ ShareBook }, { ShareKeeper }] = await Promise.all([
    import("../limits/share_book.ts"),
    import("../limits/share_keeper.ts"),
  ]);
  const keeper = new ShareKeeper({
    book: new ShareBook(
      clock,
      (scope, id) => scope === "route" ? capacity.gaugeOf(id) : limiter.gaugeOf(scope, id),
    ),
    pools: server.shares,
    ...{ clock, later, onTrouble },
  });
  limiter.shareAmongNodes(keeper);
  capacity.shareAmongNodes(keeper);
  return keeper;
}
