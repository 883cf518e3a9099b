/**
 * Shares budgets with the other nodes of a server's database, where there may be any.
 *
 * @module
 */

import type { SpendBook } from "../accounts/spend_book.ts";
import type { Clock } from "../domain/clock.ts";
import type { ExchangeKeeperOptions } from "../limits/exchange_keeper.ts";
import type { Storage } from "../storage/ports/storage.ts";
import type { DatabaseServer } from "./database/driver.ts";

/** What shares budgets. */
export interface ShareBudgetsOptions
  extends Pick<ExchangeKeeperOptions<unknown, unknown, unknown>, "later"> {
  readonly spending: SpendBook;
  readonly storage: Pick<Storage, "writeSums">;
  readonly clock: Clock;
  /** Hears once why nothing can be asked. */
  readonly onTrouble?: ((error: unknown) => void) | undefined;
}

/** What a node has stored is in the sums after so long at most. */
const SUMS_MS = 5_000;
/** From one reading of all sums, for figures that nobody has asked for, to the next. */
const READ_MS = 10_000;

/** Begins to share them; `undefined` where a file has the database, which is this node's alone. */
export async function shareBudgets(
  server: Pick<DatabaseServer, "budgets"> | undefined,
  { spending, storage, clock, later, onTrouble = () => {} }: ShareBudgetsOptions,
): Promise<{ stop(): Promise<void> } | undefined> {
  if (server === undefined) return undefined;
  const { ExchangeKeeper } = await import("../limits/exchange_keeper.ts");
  let stopKeeper = () => Promise.resolve();
  const { budgets: pools } = server;
  spending.shareAmongNodes({
    monotonic: () => clock.monotonic(),
    unsummed: () => pools.unsummed(),
    keep(book) {
      const keeper = new ExchangeKeeper({ book, pools, clock, later, onTrouble });
      stopKeeper = () => keeper.stop();
      return keeper;
    },
  });
  // What an ended session has left counts as its share until the sums have it.
  const stopSums = again(() => storage.writeSums(), SUMS_MS, later);
  const stopReading = again(() => spending.refresh(), READ_MS, later);
  return {
    async stop() {
      await Promise.all([stopSums(), stopReading(), stopKeeper()]);
    },
  };

  /** What fails is tried again in its turn. */
  function again(run: () => Promise<void>, ms: number, later: ShareBudgetsOptions["later"]) {
    let isStopped = false;
    let callOff = () => {};
    let running: Promise<void> = Promise.resolve();
    const turn = () => {
      running = run().catch((error) => isStopped || onTrouble(error)).then(() => {
        if (!isStopped) callOff = later(turn, ms);
      });
    };
    turn();
    return () => {
      isStopped = true;
      callOff();
      return running;
    };
  }
}
